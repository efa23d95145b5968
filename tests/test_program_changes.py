"""Moving code between functions changes nothing of what a program does."""

from __future__ import annotations

import ast
import contextlib
import io
import textwrap

import pytest

from program_changes import (
    Change,
    extract_loop_bodies,
    extract_loop_bodies_into_closures,
    extract_loops,
    extract_statements,
    inline_helpers,
)

PROGRAMS = {
    "a loop that counts": """
        def main(numbers):
            total, seen = 0, []
            for number in numbers:
                total += number
                seen.append(total)
            return total, seen
        print(main([1, 2, 3]))
    """,
    "a name that only some iterations bind": """
        def main(numbers):
            last = None
            for number in numbers:
                print(number)
                if number % 2:
                    last = number
                print(last)
            return last
        print(main([1, 2, 3, 4]))
    """,
    "a name that no iteration may bind": """
        def main(numbers):
            for number in numbers:
                last = number
                print(last)
            return last
        print(main([1, 2, 3]))
    """,
    "exits of all kinds": """
        def main(numbers):
            total = 0
            for number in numbers:
                print("next")
                if number == 2:
                    continue
                total += number
                print(total)
                if number > 3:
                    break
                for inner in range(number):
                    if inner == 1:
                        break
                    print(inner)
            else:
                print("all")
            return total
        print(main([1, 2, 3, 4, 5]), main([1]))
    """,
    "functions that see names": """
        def main():
            total = 0
            def add(number):
                nonlocal total
                total += number
            for number in range(3):
                add(number)
                total += 1
                print(total)
            shown = lambda: total
            total = 7
            total += shown()
            return total
        print(main())
    """,
    "names of comprehensions": """
        def main(x):
            squares = [x * x for x in range(x)]
            sums = sum(y for y in squares)
            print(squares, sums, x)
            for one in squares:
                halves = [one / 2 for one in (one, x)]
                print(halves)
                print(one)
            return [x for x in x if True] if isinstance(x, list) else x
        print(main(3))
    """,
    "a caught exception": """
        def main(numbers):
            for number in numbers:
                try:
                    quotient = 1 / number
                except ZeroDivisionError as error:
                    quotient = str(error)
                finally:
                    print("done")
                print(quotient)
            with open("/dev/null") as file:
                name = file.name
                print(name)
            print(name)
            return quotient
        print(main([1, 0, 2]))
    """,
    "methods": """
        class Counter:
            def __init__(self):
                self.count = 0
                self.__hidden = 3
            def add(self, numbers):
                for number in numbers:
                    self.count += number
                    print(self.count)
                    print(self.__hidden)
                    print(number)
                self.count += 1
                self.count += 1
                return self.count
        print(Counter().add([1, 2]))
    """,
    "helpers that call helpers": """
        shown = "global"
        def twice(number, times=2, *, shift=0):
            '''Says it.'''
            result = number * times + shift
            return result
        def show(result, end):
            for one in range(result):
                print(one, end=end)
            print(shown)
        def hides(number):
            return shown + str(number)
        def leaves(number):
            if number:
                return 1
            return 2
        def main():
            result = twice(shift=print("first") or 1, number=len([print("second")]))
            show(result, end=",")
            number = leaves(result)
            other = called_twice(number)
            shown = 5
            text = hides(shown)
            return last(text, called_twice(other))
        def called_twice(number):
            return number + 1
        def last(*numbers):
            return numbers
        print(main())
    """,
    "a helper's result returned": """
        def add(one, other):
            one += other
            return one
        def main(one):
            return add(one, one)
        print(main(2))
    """,
}
CHANGES = (
    extract_loops, extract_loop_bodies, extract_loop_bodies_into_closures, extract_statements,
    inline_helpers,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_prints_the_same(program: str, change: Change) -> None:
    tree = ast.parse(textwrap.dedent(PROGRAMS[program]))
    before = ast.unparse(tree)
    has_changed = change({"main.py": tree})
    after = ast.unparse(ast.fix_missing_locations(tree))
    assert has_changed == (after != before)
    assert printed(after) == printed(before), after


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_has_something_to_change(change: Change) -> None:
    changed = [program for program in PROGRAMS.values() if change({"": ast.parse(textwrap.dedent(program))})]
    assert changed


def printed(program: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, "program", "exec"), {"__name__": "program"})
    return output.getvalue()
