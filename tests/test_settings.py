"""What may be set, where, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlalint.configuration import Framework
from xlalint.diagnostic import Severity
from xlalint.settings import (
    SETTINGS,
    Settings,
    SettingsError,
    SettingsFinder,
    as_toml,
    read_settings,
    settings_in,
)
from xlalint.settings.table import allows
from xlalint.sources.discovery import DEFAULT_EXCLUDES, Patterns
from xlalint.versions import VersionRange

EVERYTHING = """\
select = ["XLA1", "marker-in-step"]
ignore = ["XLA102"]
extend-select = ["XLA092"]
target-version = "2.1..2.6"
exclude = ["vendor"]
extend-exclude = ["gen_*.py"]
respect-gitignore = false
fail-on = "never"
preview = true
min-severity = "warning"
required-version = ">=0.1"
output-format = "concise"
frameworks = ["accelerate"]
other-backends = ["is_cuda_run"]

[per-file-ignores]
"tests/" = ["XLA1"]

[severity]
XLA102 = "error"
marker-in-step = "info"
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_setting_is_read(tmp_path: Path) -> None:
    file = write(tmp_path / "xlalint.toml", EVERYTHING)
    assert read_settings(file) == Settings(
        base=tmp_path,
        file=file,
        select=("XLA1", "marker-in-step"),
        ignore=("XLA102",),
        extend_select=("XLA092",),
        target_version=VersionRange((2, 1), (2, 6)),
        exclude=Patterns(tmp_path, ["vendor"]),
        extend_exclude=Patterns(tmp_path, ["gen_*.py"]),
        respect_gitignore=False,
        fail_on=None,
        min_severity=Severity.WARNING,
        required_version=">=0.1",
        preview=True,
        output_format="concise",
        per_file_ignores=((Patterns(tmp_path, ["tests/"]), ("XLA1",)),),
        severity=(("XLA102", Severity.ERROR), ("XLA204", Severity.INFO)),
        frameworks=(Framework("accelerate", "accelerate"),),
        other_backends=("is_cuda_run",),
    )


def test_every_field_can_be_set() -> None:
    fields = set(Settings.__dataclass_fields__) - {"base", "file"}
    assert fields == {setting.field for setting in SETTINGS}


def test_pyproject_holds_the_same_in_its_table(tmp_path: Path) -> None:
    file = write(tmp_path / "pyproject.toml", '[project]\nname = "x"\n[tool.xlalint]\nignore = ["XLA102"]\n')
    assert settings_in(tmp_path) == Settings(tmp_path, file, ignore=("XLA102",))


def test_shown_settings_read_back_the_same(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path / "xlalint.toml", EVERYTHING))
    again = read_settings(write(tmp_path / "xlalint.toml", "\n".join(as_toml(settings))))
    assert again == settings


def test_shown_defaults_read_back_the_same(tmp_path: Path) -> None:
    shown = "\n".join(as_toml(Settings(tmp_path)))
    settings = read_settings(write(tmp_path / "xlalint.toml", shown))
    assert settings.excludes[0].lines == DEFAULT_EXCLUDES
    assert (settings.select, settings.target_version, settings.fail_on) == (None, None, Severity.WARNING)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("selct = []", "unknown setting 'selct'; did you mean 'select'?"),
        ("banana = 1", "unknown setting 'banana'"),
        ('select = ["XLA999"]', "select: unknown rule 'XLA999'; "),
        ('ignore = ["zzz"]', "unknown rule 'zzz'; run `xlalint rules` to list all rules"),
        ('ignore = ["host-read-in-stp"]', "did you mean host-read-in-step?"),
        ('select = "XLA101"', "select: must be a list of strings"),
        ("select = []", "select: selects no rule, so nothing would be checked"),
        ("exclude = [1]", "exclude: must be a list of strings"),
        ('preview = "yes"', "preview: must be true or false"),
        ("target-version = 2.5", 'target-version: must be a string such as "2.1..2.9"'),
        ('target-version = "latest"', "target-version: 'latest' is not a version"),
        ('target-version = "2.6..2.1"', "target-version: '2.6..2.1' is an empty range"),
        (
            'target-version = "2.42"',
            "target-version: there is no torch_xla 2.42: xlalint knows 1.8 to 1.13 and 2.0 to 2.9",
        ),
        ('target-version = "3.0"', "there is no torch_xla 3.0"),
        ('target-version = "1.2..2.5"', "there is no torch_xla 1.2"),
        ('target-version = "2.5..2.10"', "there is no torch_xla 2.10"),
        (
            'fail-on = "warnings"',
            "fail-on: must be one of info, warning, error or never; did you mean 'warning'?",
        ),
        ("fail-on = []", "fail-on: must be one of"),
        pytest.param(
            f"fail-on{'.a' * 5000} = 1",
            "fail-on: must be one of info, warning, error or never",
            id="deep table",
        ),
        pytest.param(
            f"target-version = '2.{'9' * 5000}'",
            "is not a version: write one as 2.5",
            id="thousands of digits",
        ),
        (
            'output-format = "jsn"',
            "output-format: must be one of text, concise, json, ",
        ),
        ("\n\noutput-format = 'jsn'", "xlalint.toml:3: output-format: must be one of"),
        ("output-format = 'jsn'", "did you mean 'json'?"),
        ('severity = {XLA102 = "fatal"}', "toml:1: severity.XLA102: must be one of info, warning or error"),
        ('severity = {XLA777 = "error"}', "severity.XLA777: unknown rule 'XLA777'; "),
        ('[severity]\nXLA101 = "info"\n"XLA777" = "error"', "xlalint.toml:3: severity.XLA777: unknown rule"),
        ("severity.XLA777 = 1", "xlalint.toml:1: severity.XLA777: unknown rule"),
        ('severity = {"" = "error"}', 'severity."": unknown rule'),
        ("required-version = 1", "toml:1: required-version: must be a version or a range"),
        ("required-version = 'new'", "required-version: must be a version or a range"),
        (
            "nonsense = 1\nrequired-version = '>=999'",
            "required-version: asks for xlalint >=999, ",
        ),
        ("extend = ''", "extend: must be the path of a file"),
        ("extend = 'none.toml'", "none.toml: cannot read this file: it does not exist (extended by "),
        ("extend = 'xlalint.toml'", "xlalint.toml extends this file in turn"),
        ("min-severity = 'never'", "min-severity: must be one of info, warning or error"),
        ("severity = 3", "severity: must be a table"),
        ('per-file-ignores = {"a.py" = ["XLA777"]}', 'per-file-ignores."a.py": unknown rule '),
        ('per-file-ignores = ["a.py"]', "per-file-ignores: must be a table"),
        ("select = [", ": not valid TOML: "),
    ],
)
def test_mistakes_name_the_file_and_what_was_meant(tmp_path: Path, line: str, message: str) -> None:
    file = write(tmp_path / "xlalint.toml", line + "\n")
    with pytest.raises(SettingsError) as raised:
        read_settings(file)
    assert "xlalint.toml" in str(raised.value)
    assert message in str(raised.value)


def test_mistakes_in_pyproject_name_the_table(tmp_path: Path) -> None:
    file = write(tmp_path / "pyproject.toml", "[tool.xlalint]\nselct = []\n")
    with pytest.raises(SettingsError, match=r"pyproject\.toml:2, \[tool\.xlalint\]: unknown setting 'selct'"):
        read_settings(file)


def test_prefixes_change_severities_and_the_longest_wins(tmp_path: Path) -> None:
    text = '[severity]\nhost-read-in-step = "info"\nXLA10 = "warning"\nXLA1 = "error"\n'
    levels = dict(read_settings(write(tmp_path / "xlalint.toml", text)).severity)
    assert levels["XLA101"] is Severity.INFO
    assert levels["XLA102"] is Severity.WARNING
    assert "XLA201" not in levels
    assert dict(read_settings(write(tmp_path / "xlalint.toml", 'severity = {ALL = "info"}')).severity)[
        "XLA501"
    ]


def test_a_file_extends_others_and_wins_over_them(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.xlalint]\nextend-exclude = ["gen_*"]\nfail-on = "info"\n')
    write(tmp_path / "team.toml", 'extend = "pyproject.toml"\nignore = ["XLA102"]\nfail-on = "error"\n')
    file = write(tmp_path / "sub" / "xlalint.toml", 'extend = "../team.toml"\nignore = ["XLA2"]\n')
    settings = read_settings(file)
    assert settings.ignore == ("XLA2",)
    assert settings.fail_on is Severity.ERROR
    assert settings.extend_exclude == Patterns(tmp_path, ["gen_*"]), "relative to where it is written"
    assert settings.extend == tmp_path / "team.toml"
    assert settings.base == tmp_path / "sub"
    write(tmp_path / "pyproject.toml", '[tool.xlalint]\nextend = "team.toml"\n')
    with pytest.raises(SettingsError, match=r"team\.toml extends this file in turn"):
        read_settings(file)


@pytest.mark.parametrize(
    ("requirement", "version", "holds"),
    [
        ("0.1.0", "0.1.0", True),
        ("0.1", "0.1.0", True),
        ("==0.1", "0.1.1", False),
        (">=0.1,<0.3", "0.2.9", True),
        (">=0.1, <0.3", "0.3.0", False),
        ("~=0.2.1", "0.2.7", True),
        ("~=0.2.1", "0.3.0", False),
        ("!=0.1", "0.1.0", False),
        (">0.9", "0.10", True),
        (">=1.0", "1.0.dev3", True),
    ],
)
def test_a_required_version_is_compared_as_numbers(requirement: str, version: str, holds: bool) -> None:
    assert allows(requirement, version) is holds


def test_a_hidden_file_of_settings_wins_over_one_in_sight(tmp_path: Path) -> None:
    write(tmp_path / "xlalint.toml", "preview = true\n")
    hidden = write(tmp_path / ".xlalint.toml", "preview = false\n")
    found = settings_in(tmp_path)
    assert found is not None
    assert (found.file, found.preview) == (hidden, False)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: cannot read this file: it does not exist"):
        SettingsFinder(config=tmp_path / "none.toml")


def test_the_nearest_settings_count_and_are_not_merged(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.xlalint]\nignore = ["XLA102"]\n')
    write(tmp_path / "sub" / "xlalint.toml", "preview = true\n")
    write(tmp_path / "sub" / "inner" / "pyproject.toml", '[project]\nname = "says nothing of xlalint"\n')
    finder = SettingsFinder()
    assert finder.at(tmp_path).ignore == ("XLA102",)
    assert finder.at(tmp_path / "other").ignore == ("XLA102",)
    assert finder.at(tmp_path / "sub" / "inner").preview
    assert finder.at(tmp_path / "sub" / "inner").ignore == ()


def test_xlalint_toml_goes_before_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.xlalint]\npreview = false\n")
    write(tmp_path / "xlalint.toml", "preview = true\n")
    assert SettingsFinder().at(tmp_path).preview


def test_a_pyproject_that_does_not_speak_of_us_may_be_broken(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project\n")
    assert settings_in(tmp_path) is None


@pytest.mark.parametrize("text", ["tool = 3 # xlalint", "[tool]\nxlalint = 3", "# xlalint"])
def test_a_pyproject_without_our_table_has_no_settings(tmp_path: Path, text: str) -> None:
    write(tmp_path / "pyproject.toml", text)
    assert settings_in(tmp_path) is None


def test_the_command_line_goes_before_files(tmp_path: Path) -> None:
    write(tmp_path / "xlalint.toml", 'preview = true\nignore = ["XLA102"]\n')
    settings = SettingsFinder(given={"preview": False}).at(tmp_path)
    assert (settings.preview, settings.ignore) == (False, ("XLA102",))


def test_isolated_reads_no_file(tmp_path: Path) -> None:
    write(tmp_path / "xlalint.toml", "selct = 1\n")
    assert SettingsFinder(isolated=True).at(tmp_path).file is None


def test_one_file_may_hold_for_everything(tmp_path: Path) -> None:
    write(tmp_path / "a" / "xlalint.toml", "preview = false\n")
    config = write(tmp_path / "shared.toml", "preview = true\n")
    assert SettingsFinder(config=config).at(tmp_path / "a").preview
