"""HTML, and XML that is marked up like it (DocBook, Mallard, OSIS)."""
import re
from html.parser import HTMLParser

from blocks import decode

BLOCK = set("""p div h1 h2 h3 h4 h5 h6 ul ol dl dd dt li blockquote section article
table tr td th br hr body caption figcaption figure aside main para title
listitem varlistentry term item page note sect1 sect2 sect3 sect4 chapter
simpara variablelist itemizedlist orderedlist step procedure entry row
refsect1 steps list terms media address center details summary""".split())
SKIP = set("""script style head nav footer form button select noscript svg math
textarea info bookinfo chapterinfo articleinfo refentryinfo sect1info authorgroup
legalnotice revhistory iframe canvas object keywordset note_ref""".split())
VOID = set("""area base br col embed hr img input link meta param source track wbr
imagedata xref""".split())
PRE = {"pre", "screen", "programlisting", "code_block", "literallayout", "synopsis"}
KEEP = {"body", "html", "main", "article", "span", "a", "em", "b", "i", "code"}
HEAD = {"h1", "h2", "h3", "h4", "h5", "h6", "title"}
SKIP_CLASS = re.compile(
    r"(?i)wy-nav-(?:side|top)|nav(?:bar|igation|header|footer|links?)?|toc"
    r"|toctree\S*|(?:page-?)?footer|\w*sidebar\w*"
    r"|related|breadcrumbs?|copyright|legalnotice|menu\w*|index\w*|genindextable"
    r"|header|header-?links|search\w*|languages?|linenos?|footnotes?|localtoc"
    r"|titlepage|authorgroup|docinfo")


class Reader(HTMLParser):
    def __init__(self, tables):
        super().__init__(convert_charrefs=True)
        self.tables = tables
        self.blocks = []
        self.text = []
        self.skip = None  # the element that is left out, and how deep in it
        self.depth = 0
        self.pre = 0
        self.item = False
        self.head = False

    def flush(self):
        text = "".join(self.text)
        self.text = []
        if self.pre:
            text = text.strip("\n")
            if text.strip():
                self.blocks.append(("pre", text))
            return
        text = " ".join(text.split())
        if text:
            kind = "head" if self.head else "li" if self.item else "p"
            self.blocks.append((kind, text))

    def handle_starttag(self, tag, attributes):
        if self.skip:
            self.depth += tag == self.skip
            return
        a = dict(attributes)
        name = f"{a.get('class') or ''} {a.get('role') or ''}"
        left_out = tag in SKIP or (tag == "table" and not self.tables) or \
            (tag not in KEEP and
             any(map(SKIP_CLASS.fullmatch, name.split()))) or \
            "headerlink" in name
        if left_out and tag not in VOID and tag not in ("p", "li", "dt", "dd"):
            if tag in BLOCK or tag in ("head", "header", "footer", "nav"):
                self.flush()
            self.skip, self.depth = tag, 1
        elif tag in PRE:
            self.flush()
            self.pre += 1
        elif tag in BLOCK and not self.pre:
            self.flush()
            self.head = tag in HEAD
            if tag in ("li", "dt", "dd", "listitem", "item", "td", "tr"):
                self.item = True
            elif tag not in ("p", "para", "br", "div", "simpara"):
                self.item = False

    def handle_startendtag(self, tag, attributes):
        if tag in BLOCK and not self.pre and not self.skip:
            self.flush()

    def handle_endtag(self, tag):
        if self.skip:
            self.depth -= tag == self.skip
            if self.depth == 0:
                self.skip = None
        elif tag in PRE and self.pre:
            self.flush()
            self.pre -= 1
        elif tag in BLOCK and not self.pre:
            self.flush()
            self.head = False
            if tag in ("li", "dd", "ul", "ol", "dl", "listitem", "item", "tr"):
                self.item = False

    def handle_data(self, data):
        if not self.skip:
            self.text.append(data)


def html_blocks(text, tables=False):
    reader = Reader(tables)
    reader.feed(text)
    reader.close()
    reader.flush()
    return reader.blocks


def html(files):
    """A document for each page."""
    for _, data in files:
        yield html_blocks(decode(data))


def html_tables(files):
    """The same where prose stands in tables."""
    for _, data in files:
        yield html_blocks(decode(data), tables=True)
