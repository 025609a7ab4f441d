"""Stories, descriptions and dialogues in the data files of games."""
import json
import re

from blocks import decode, from_plain, grouped


VARIABLE = re.compile(r"%\w+%|%\d*\$?[sdigf]\b|\$\{|\$\w+_")


def sentences(texts):
    """The texts that are more than a label, each once, as lines; without those
    into which the game puts names and numbers."""
    seen, out = set(), []
    for text in texts:
        text = " ".join(text.split())
        if len(text.split()) >= 4 and text not in seen and \
                not VARIABLE.search(text):
            seen.add(text)
            out.append(("li", text))
    return out


def wesnoth(files):
    """WML: strings that are translated, each after the name of who speaks."""
    part = re.compile(r'speaker[ \t]*=[ \t]*"?(\w[\w ]*)|(\[/message\])'
                      r'|_\s*"((?:[^"]|"")*)"')
    for _, data in files:
        speaker, lines = "", []
        for m in part.finditer(decode(data)):
            if m[1]:
                name = m[1].strip()
                known = name[0].isupper()
                speaker = name.replace("_", " ") + ": " if known else ""
            elif m[2]:
                speaker = ""
            else:
                text = re.sub(r"<[^>]*>", "", m[3].replace('""', '"'))
                for one in re.split(r"\n\s*\n", text):
                    if one.strip():
                        lines.append(speaker + " ".join(one.split()))
        yield sentences(lines)


def backticks(files):
    """Endless Sky: what is said stands between backticks."""
    for _, data in files:
        yield sentences(re.findall(r"`([^`]+)`", decode(data)))


def lua(files):
    """Strings that are translated: _("..."), _[[...]], and gettext's like."""
    part = re.compile(r'\b_\s*\(?\s*(?:\[\[(.*?)\]\]|"((?:[^"\\]|\\.)*)"'
                      r"|'((?:[^'\\]|\\.)*)')", re.S)
    for _, data in files:
        lines = []
        for m in part.finditer(decode(data)):
            text = m[1] or m[2] or m[3] or ""
            text = re.sub(r"\\n|\n\s*\n", "\n\n", text)
            text = re.sub(r"\\(.)", r"\1", re.sub(r"\\a\w+|\\[Ee]", "", text))
            lines += re.split(r"\n\n", text)
        yield sentences(lines)


def dialog_lua(files):
    """Fish Fillets: dialogId(name, voice, text)."""
    for _, data in files:
        yield sentences(t.replace('\\"', '"') for t in re.findall(
            r'dialogId\("[^"]*", "[^"]*", "((?:[^"\\]|\\.)*)"', decode(data)))


def xml_text(files):
    """Naev's planets, ships and goods: their descriptions."""
    def one(data):
        return sentences(re.findall(
            r"<(?:description|bar|gfx_desc|text|lore)>([^<]+)<", decode(data)))
    return grouped((one(data) for _, data in files), 2500)


def angles(files):
    """GearHead: messages stand between angle brackets; those with a variable
    other than the player's name are left out."""
    for _, data in files:
        text = decode(data).replace("\\PC ", "captain ").replace("\\PC", "captain")
        found = (t for t in re.findall(r"<([^<>]+)>", text)
                 if (t[0].isupper() or t[0] in "\"'") and "\\" not in t
                 and t.rstrip()[-1:] in (".", "!", "?", '"', "'"))
        yield sentences(re.sub(r" ([.,!?])", r"\1", t) for t in found)


def ruleset(files):
    """Freeciv: long strings, continued with a backslash."""
    for _, data in files:
        text = decode(data).replace("\\\n", "")
        lines = []
        for t in re.findall(r'_\("((?:[^"\\]|\\.)*)"\)', text):
            t = t.replace("\\n", "\n").replace('\\"', '"')
            lines += re.split(r"\n\s*\n|\n(?= *[-*] )", re.sub(r"\?\w+:", "", t))
        yield sentences(lines)


def colobot(files):
    """Colobot's help: \\b;heading \\c;code\\n; \\l;link\\u target;"""
    for _, data in files:
        text = re.sub(r"(?s)\\c;\n.*?\\n;\n", "", decode(data))
        text = re.sub(r"\\u [^;]*;", "", text)
        text = re.sub(r"\\[a-z];|\\image [^\n]*", "", text)
        yield from_plain(re.sub(r"\n+", "\n\n", text))


def crawl(files):
    """Entries between lines of %%%%: a key, a blank line, the text."""
    for _, data in files:
        entries = []
        for entry in re.split(r"(?m)^%%%%.*\n", decode(data)):
            key, _, text = entry.partition("\n\n")
            if "{{" in text or not text.strip() or "\n" in key.strip():
                continue
            text = re.sub(r"(?m)^(?:#.*|w:\d+|[A-Z_]+)$", "", text)
            text = re.sub(r"(?m)^[A-Z ]+:(?=\S)|@\w*@ ?", "", text)
            if not key.startswith("_"):
                entries.append([("li", " ".join(key.split()))])
            entries.append(from_plain(text))
        yield from grouped(entries, 2000)


def crossfire(files):
    """Maps with messages between `msg` and `endmsg`, one document a folder."""
    folders = {}
    for name, data in files:
        folder = name.rpartition("/")[0]
        for t in re.findall(r"(?ms)^msg\n(.*?)^endmsg", decode(data)):
            t = re.sub(r"\[/?\w+(?:=\w+)?\]|@match.*|@reply .*", "", t)
            folders.setdefault(folder, []).extend(re.split(r"\n\s*\n|\n(?=@)", t))
    for folder in sorted(folders):
        yield sentences(t.lstrip("@* ") for t in folders[folder]
                        if "Created:" not in t and "Modified:" not in t)


def strings_of(value, key=""):
    """The strings of a JSON value under keys that hold prose."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from strings_of(v, k)
    elif isinstance(value, list):
        for v in value:
            yield from strings_of(v, key)
    elif isinstance(value, str) and key in (
            "description", "text", "dynamic_line", "str", "yes", "no", "npc",
            "sound", "snippet", "scenario", "message", "hint", "lore", "speech",
            "responses", "str_pl", "name", "and", "true", "descriptions"):
        yield value


def cataclysm(files):
    """Cataclysm: descriptions, signs, books, what people say."""
    for _, data in files:
        lines = []
        for value in json.loads(decode(data)):
            for text in strings_of(value):
                text = re.sub(r"<color_\w+>|</color>|<[a-z_:]+>", "", text)
                lines += re.split(r"\n+", text)
        yield from grouped([[l] for l in sentences(lines)], 3000)
