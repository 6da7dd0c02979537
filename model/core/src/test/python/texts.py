"""What a tokenizer's folder makes of texts.

texts.py FOLDER N

Prints JSON: N random texts of what tokenizers stumble on (runs of spaces, tabs and line ends, marks inside text, emoji
with joiners, scripts from right to left, combining accents, long numbers), with the ids that Hugging Face's library
gives for each.
"""

import gzip
import json
import pathlib
import random
import sys
import unicodedata

from tokenizers import Tokenizer

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
packed = folder / "tokenizer.json.gz"
text = gzip.open(packed, "rt").read() if packed.exists() else (folder / "tokenizer.json").read_text()
tokenizer = Tokenizer.from_str(text)
marks = [token["content"] for token in json.loads(text).get("added_tokens", [])][:20]
WORDS = ["the", "Shop", "red", "l'été", "naïve", "don't", "WebShop", "buy", "über", "x86_64", "snake_case", "CamelCase"]
SCRIPTS = ["שלום", "مرحبا", "你好世界", "こんにちは", "한국어", "Привет", "नमस्ते", "ไทย", "e\u0301a\u0300", "\u200fabc\u200e"]
EMOJI = ["😀", "👨‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇫🇷", "❤️", "\ufe0f"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u3000", "\u200b"]
SIGNS = ["...", "!?", "--", "$12.99", "(a)", "[b]", "{c}", "<d>", "</e>", "\\n", "a@b.c", "http://x.y/z?q=1&r=2", "€", "½"]
draw = random.Random(7)


def sign():
    """A character of Unicode 14: libraries differ on what a later one is, a letter, a symbol or nothing."""
    while True:
        one = chr(draw.choice([draw.randrange(33, 0x2FF), draw.randrange(0x370, 0xD7FF), draw.randrange(0x1F300, 0x1FAFF)]))
        if unicodedata.category(one) != "Cn":
            return one


def part():
    kind = draw.randrange(8)
    if kind == 0 and marks:
        return draw.choice(marks)
    if kind == 1:
        return str(draw.randrange(10 ** draw.randrange(1, 25)))
    if kind == 2:
        return sign()
    return draw.choice([WORDS, SCRIPTS, EMOJI, SPACES, SIGNS][draw.randrange(5)])


texts = ["".join(part() + draw.choice(["", " ", ""]) for _ in range(draw.randrange(1, 14))) for _ in range(count)]
print(json.dumps([{"text": t, "ids": tokenizer.encode(t, add_special_tokens=False).ids} for t in texts]))
