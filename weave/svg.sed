# What gnuplot writes into an SVG file and no page needs (sed -zE, the file as one line).
# A path that goes nowhere: the tick of length 0 that goes with a label.
s/<path [^>]*d='M[0-9.,-]+ *'\/>//g
# A group around one text: its attributes go to the text; a text without words goes.
s/<g (transform="[^>]*)>\s*<text>([^\n]*)<\/text>\s*<\/g>/<text \1>\2<\/text>/g
s/<text [^>]*><\/text>//g
# Spans that change nothing, and what the page's style sheet says (the font).
s/ +font-family="serif"//g
s/<tspan font-size="[0-9.]*" dy="[-0-9.]*"><\/tspan>//g
s/<tspan *>([^<]*)<\/tspan>/\1/g
# Blanks between elements; those in texts are to stay, where scour would trim them.
s/>\s*\n\s*</></g
s/<svg /<svg xml:space="preserve" /
# The paper.
s/<rect x="0" y="0" width="[0-9]*" height="[0-9]*" fill="none"\/>//
# One spelling of the palette of figure.gp.
s/rgb\( *0, *0, *0\)/black/g
s/rgb\( *0, *114, *178\)/#0072b2/g
s/rgb\( *213, *94, *0\)/#d55e00/g
s/rgb\( *0, *158, *115\)/#009e73/g
s/rgb\( *204, *121, *167\)/#cc79a7/g
s/rgb\( *181, *137, *0\)/#b58900/g
s/rgb\( *127, *127, *127\)/#7f7f7f/g
