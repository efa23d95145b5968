"""Seeds the device in every step of a program, so that two forms of a step draw the same random numbers.

A step scope cuts the graph when it opens, too, and each cut advances the random state of the device. What
is drawn by chance differs then, and hides whether anything else does.
"""

from __future__ import annotations

import ast

from xlalint.fixing.module import called

Loop = ast.For | ast.While


def pinned(text: str) -> str:
    """A program in which each iteration of each loop seeds the device with its number.

    Where the body opens a step scope, it does so inside of that, for its entry cuts. A marker or the loader
    ends the step elsewhere: there it does so at the start of the body.
    """
    tree = _Pinning().visit(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Pinning(ast.NodeTransformer):
    def __init__(self) -> None:
        self._loops = 0

    def visit_For(self, loop: ast.For) -> list[ast.stmt]:
        return self._seeded(loop)

    def visit_While(self, loop: ast.While) -> list[ast.stmt]:
        return self._seeded(loop)

    def _seeded(self, loop: Loop) -> list[ast.stmt]:
        name = f"_seeds_{self._loops}"
        self._loops += 1
        self.generic_visit(loop)
        scopes = [each for each in loop.body if isinstance(each, ast.With) and _opens_step(each)]
        block = scopes[0].body if scopes else loop.body
        seed = f"__import__('torch_xla').core.xla_model.set_rng_state(next({name}))"
        block.insert(0, ast.parse(seed).body[0])
        return [ast.parse(f"{name} = __import__('itertools').count()").body[0], loop]


def _opens_step(statement: ast.With) -> bool:
    return any(called(item.context_expr) == "step" for item in statement.items)
