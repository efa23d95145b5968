"""Settings as classes have them by default."""

from dataclasses import dataclass


@dataclass
class Settings:
    device: str = "xla"
    lr: float = 0.1


@dataclass
class OnHost:
    device: str = "cpu"


settings = Settings()
on_host = OnHost()
