# What every figure of the book has in common. A figure's script begins
#     load 'weave/figure.gp'
# and is run once for each kind:
#     gnuplot -e "kind='svg'; out='figures/mini/x.svg'" tangled/x.gp
# Set before loading, if other than the default:
#     width, height   in pixels; 640 is the width of the text
#     markup          1 lets labels use gnuplot's markup (W_O, x^2); without it
#                     text is shown as it is, whatever a token contains
# Set by it: the palette (blue, orange, green, pink, yellow, grey: strings for
# `rgb`), line types 1 to 6 in that order, and shade(v): the colour for `rgb
# variable` that is blue with opacity v, 0 to 1, so that a heatmap reads on
# light and dark paper alike. The page maps these six colours and black to its
# theme (book.css), so use no others. The palette is Okabe and Ito's.

if (!exists("kind")) kind = "svg"
if (!exists("out")) out = name . "." . kind
if (!exists("width")) width = 640
if (!exists("height")) height = 360
if (!exists("markup")) markup = 0

blue = "#0072b2"; orange = "#d55e00"; green = "#009e73"
pink = "#cc79a7"; yellow = "#b58900"; grey = "#7f7f7f"

# One size in pixels for both: 640 pixels are the 130 mm of a line of text.
# (gnuplot's 7 points come out as 9.)
if (kind eq "svg") {
    if (markup) {
        set terminal svg size width,height dynamic enhanced font "serif,15" linewidth 1.2
    } else {
        set terminal svg size width,height dynamic noenhanced font "serif,15" linewidth 1.2
    }
} else {
    inch = 130 / 25.4 / 640
    if (markup) {
        set terminal pdfcairo size width*inch,height*inch enhanced \
            font "Latin Modern Roman,7" fontscale 1 linewidth 1
    } else {
        set terminal pdfcairo size width*inch,height*inch noenhanced \
            font "Latin Modern Roman,7" fontscale 1 linewidth 1
    }
}
set output out
set encoding utf8

set linetype 1 lc rgb blue lw 1.5 pt 7 ps 0.5
set linetype 2 lc rgb orange lw 1.5 pt 5 ps 0.5 dt (9,4)
set linetype 3 lc rgb green lw 1.5 pt 9 ps 0.6 dt (3,3)
set linetype 4 lc rgb pink lw 1.5 pt 11 ps 0.6 dt (9,3,2,3)
set linetype 5 lc rgb yellow lw 1.5 pt 13 ps 0.6
set linetype 6 lc rgb grey lw 1 pt 6 ps 0.5
set linetype cycle 6
set border 3 lw 0.8
set tics nomirror out scale 0.5
set key noenhanced spacing 1.15 samplen 2.5

shade(v) = 0x0072b2 + (int(255 * (1 - (v < 0 ? 0 : v > 1 ? 1 : v))) << 24)
