"""Settings that stand in a file beside the program, such as YAML: who reads them, and how they are called."""

from __future__ import annotations

import re

READERS = frozenset({
    "json.load", "json.loads", "yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load",
    "toml.load", "toml.loads", "tomli.load", "tomli.loads", "tomllib.load", "tomllib.loads",
    "omegaconf.OmegaConf.load", "omegaconf.OmegaConf.create", "omegaconf.OmegaConf.merge", "hydra.compose",
    "mmengine.Config.fromfile", "mmcv.Config.fromfile", "ml_collections.ConfigDict",
})  # fmt: skip
"""Functions of which the result is what a file says."""

NAMES = frozenset({
    "cfg", "cfgs", "conf", "config", "configs", "configuration", "hparams", "hps", "hydra_cfg", "settings",
})  # fmt: skip
"""The last words of names that are given to such settings, as in `self.conf` and `metrics_conf`."""

OF_XLA = frozenset({"tpu", "tpus", "xla", "neuron", "neuroncore", "trainium"})
"""Words of a setting that chooses XLA: a program that is checked for XLA has it on."""

OF_HARDWARE = OF_XLA | {"rank", "core", "cores", "device", "devices", "node", "nodes", "world"}
"""Words of a setting that tells on what a program runs: who starts it says that."""

DEVICE = "device"
"""What the name of a setting ends with that says on which device a program runs."""

STARTING = frozenset({"spawn", "launch", "distributed", "multiprocess", "multiprocessing"})
"""Words of a setting that starts several replicas."""

PARSES_ALL = "parse_args"
PARSES_KNOWN = "parse_known_args"
"""The same, beside what is left of the command line."""
PARSERS = frozenset({PARSES_ALL, PARSES_KNOWN})
"""Methods that take options from the command line, of which the program says what they are."""
PARSES_FIELDS = frozenset({"parse_args_into_dataclasses", "parse_json_file", "parse_yaml_file"})
"""Methods of the parser of transformers that take them into objects, of whose fields each is one."""

OF_ENVIRONMENT = frozenset({"os.environ.get", "os.getenv"})
"""Functions that ask the environment first, and else take a setting that they are given."""

GETTERS = frozenset({"get", "pop", "getboolean", "getint", "getfloat"})
"""Methods of settings that return one of them by its name."""


FINDING_FAILURE = frozenset({"isnan", "isinf", "is_nan", "is_inf"})
EXCLUDING_FAILURE = frozenset({"isfinite", "is_finite"})
"""Functions that ask whether a number is one that no training goes on from, and whether it is none."""


def chooses_xla(setting: str) -> bool:
    """Whether a setting, as it is spelled, chooses XLA itself.

    `use_tpu` does; `tpu_spawn` says on how many devices.
    """
    words = _words(setting)
    return not OF_XLA.isdisjoint(words) and STARTING.isdisjoint(words)


def tells_of_hardware(setting: str) -> bool:
    """Whether a setting tells on what a program runs, such as how many cores."""
    return not OF_HARDWARE.isdisjoint(_words(setting))


def _words(setting: str) -> list[str]:
    return re.split(r"[^a-z]+", setting.lower())
