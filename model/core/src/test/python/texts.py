"""What tokenizers' folders make of texts.

texts.py N FOLDER…

Prints JSON, for each FOLDER: N random texts of what tokenizers stumble on (runs of spaces, tabs and line ends, marks
inside text, emoji with joiners, scripts from right to left, combining accents, long numbers), with the ids that
transformers gives for each.
"""

import gzip
import json
import pathlib
import random
import shutil
import sys
import tempfile
import unicodedata

from transformers import AutoTokenizer


def opened(folder):
    """The tokenizer, and the first of its added tokens."""
    with tempfile.TemporaryDirectory() as scratch:
        for file in folder.glob("tokenizer*"):
            if file.suffix == ".gz":
                (pathlib.Path(scratch) / file.stem).write_bytes(gzip.open(file).read())
            else:
                shutil.copy(file, scratch)
        added = json.loads((pathlib.Path(scratch) / "tokenizer.json").read_text()).get("added_tokens", [])
        return AutoTokenizer.from_pretrained(scratch), [token["content"] for token in added][:20]


WORDS = ["the", "Shop", "red", "l'été", "naïve", "don't", "WebShop", "buy", "über", "x86_64", "snake_case", "CamelCase"]
SCRIPTS = ["שלום", "مرحبا", "你好世界", "こんにちは", "한국어", "Привет", "नमस्ते", "ไทย", "e\u0301a\u0300", "\u200fabc\u200e"]
EMOJI = ["😀", "👨‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇫🇷", "❤️", "\ufe0f"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u3000", "\u200b"]
SIGNS = ["...", "!?", "--", "$12.99", "(a)", "[b]", "{c}", "<d>", "</e>", "\\n", "a@b.c", "http://x.y/z?q=1&r=2", "€", "½"]


def sign(draw):
    """A character of Unicode 14: libraries differ on what a later one is, a letter, a symbol or nothing."""
    while True:
        one = chr(draw.choice([draw.randrange(33, 0x2FF), draw.randrange(0x370, 0xD7FF), draw.randrange(0x1F300, 0x1FAFF)]))
        if unicodedata.category(one) != "Cn":
            return one


def part(draw, marks):
    kind = draw.randrange(8)
    if kind == 0 and marks:
        return draw.choice(marks)
    if kind == 1:
        return str(draw.randrange(10 ** draw.randrange(1, 25)))
    if kind == 2:
        return sign(draw)
    return draw.choice([WORDS, SCRIPTS, EMOJI, SPACES, SIGNS][draw.randrange(5)])


def texts(folder, count):
    tokenizer, marks = opened(folder)
    draw = random.Random(7)
    for _ in range(count):
        text = "".join(part(draw, marks) + draw.choice(["", " ", ""]) for _ in range(draw.randrange(1, 14)))
        yield {"text": text, "ids": tokenizer.encode(text, add_special_tokens=False)}


print(json.dumps([list(texts(pathlib.Path(folder), int(sys.argv[1]))) for folder in sys.argv[2:]]))
