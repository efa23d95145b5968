"""What users set: the values, the table that explains them, and the files that hold them."""

from xlalint.settings.files import SettingsFinder, read_settings, read_table, settings_in
from xlalint.settings.table import FILE_NAMES, LEVELS, SETTINGS, TABLE, Setting, nearest
from xlalint.settings.toml import as_toml
from xlalint.settings.values import Settings, SettingsError

__all__ = [
    "FILE_NAMES",
    "LEVELS",
    "SETTINGS",
    "TABLE",
    "Setting",
    "Settings",
    "SettingsError",
    "SettingsFinder",
    "as_toml",
    "nearest",
    "read_settings",
    "read_table",
    "settings_in",
]
