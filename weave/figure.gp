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
set minussign

# eval span(low, high): the y axis from low to high, its ends and tics round.
step(v) = v <= 0 ? 1 : (tens = 10.0 ** floor(log10(v)), \
    v < 2 * tens ? tens / 2 : v < 5 * tens ? tens : 2 * tens)
span(low, high) = (tic = step(high - low), sprintf("set yrange [%g:%g]; set ytics %g", \
    floor(low / tic) * tic, ceil(high / tic) * tic + (high <= low), tic))

# For drawings. eval sheet(w, bottom, top) leaves nothing but a plane from 0 to w
# and bottom to top; eval bracket(x, y, w, h) draws the brackets of a matrix and
# eval tint(x, y, w, h, colour) colours a rectangle, each h downwards from y;
# shown(v) is a number as a label has it, italic(s) a symbol, low(s, i) a symbol
# with an index (with markup).
sheet(w, bottom, top) = sprintf("unset border; unset tics; unset key; " . \
    "set margins 0,0,0,0; set xrange [0:%g]; set yrange [%g:%g]", w, bottom, top)
line(x, y, x2, y2) = sprintf("set arrow from %g,%g to %g,%g nohead lw 1.2 " . \
    "lc rgb 'black'; ", x, y, x2, y2)
hook(x, t, b, tip) = line(x, t, x, b) . line(x, t, x + tip, t) . line(x, b, x + tip, b)
bracket(x, y, w, h) = hook(x - 0.06, y + 0.06, y - h - 0.06, 0.18) . \
    hook(x + w + 0.06, y + 0.06, y - h - 0.06, -0.18)
tint(x, y, w, h, colour) = sprintf("set object rectangle from %g,%g to %g,%g " . \
    "fillstyle transparent solid 0.25 noborder fillcolor rgb '%s'", \
    x, y, x + w, y - h, colour)
shown(v) = v < 0 ? sprintf("−%g", -v) : v == 0 ? "0" : sprintf("%g", v)
italic(s) = "{/:Italic " . s . "}"
low(s, i) = italic(s) . "_" . italic(i)
