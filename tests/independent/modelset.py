"""A model set: its description, tokenizer and models."""

import functools
import json
import pathlib

import numpy as np

import circuits
from bpe import Tokenizer
from model import Model
from weights import read_folder


class Set:
    """What several sections need, computed once.

    x is the stream as the head sees it, after the layer norm; A its pattern."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.about = json.loads((self.folder / "set.json").read_text("utf-8"))
        self.tokenizer = Tokenizer(self.folder / "tokenizer.json")
        self.prompt = self.tokenizer.encode_prompt(self.about["prompt"])
        self.layer, self.number = map(int, self.about["head"].split("."))

    @functools.cache
    def model(self, name="1l"):
        return Model(*read_folder(self.folder / self.about["models"][name]))

    @functools.cache
    def run(self, name="1l"):
        return self.model(name).run(self.prompt)

    @functools.cached_property
    def head(self):
        return circuits.Head(self.model(), self.layer, self.number)

    def heads(self, name="1l", layer=None):
        """Every head of a layer; of the followed head's, if none is given."""
        model, layer = self.model(name), self.layer if layer is None else layer
        return [circuits.Head(model, layer, h) for h in range(model.n_heads)]

    @property
    def moved(self):
        """The token that the head moves."""
        return self.tokenizer.single(self.about["moved"])

    @property
    def places(self):
        """Where it stands in the prompt, as one truth value a token."""
        return np.array(self.prompt) == self.moved

    @property
    def predicted(self):
        return int(self.run()["unembed.hook_out"][-1].argmax())

    @property
    def x(self):
        return self.run()[f"blocks.{self.layer}.ln1.hook_normalized"]

    @property
    def A(self):
        return self.run()[f"blocks.{self.layer}.attn.hook_pattern"][self.number]

    @property
    def z(self):
        """The result vectors r of the head, as the model computed them."""
        return self.run()[f"blocks.{self.layer}.attn.hook_z"][:, self.number]

    def texts(self, tokens):
        return [self.tokenizer.text(t) for t in tokens]
