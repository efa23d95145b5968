# ruff: noqa
# mypy: ignore-errors
"""Recursion, depth and many contexts: where the analysis stops, and what it still sees."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def ping(loss, flag):
    if flag:
        pong(loss, flag)  # expect: XLA092
    print(loss)


def pong(loss, flag):
    if flag:
        ping(loss, flag)  # expect: XLA092


def one_way_in(flag):
    with torch_xla.step():
        ping(model(x), flag)  # expect: XLA101 likely


def the_other_way_in(flag):
    with torch_xla.step():
        pong(model(x), flag)  # expect: XLA101 likely


def ping_again(loss, flag):
    if flag:
        pong_again(loss, flag)  # expect: XLA092
    print(loss)


def pong_again(loss, flag):
    if flag:
        ping_again(loss, flag)  # expect: XLA092


def the_other_way_first(flag):
    with torch_xla.step():
        pong_again(model(x), flag)  # expect: XLA101 likely


def then_the_one_way(flag):
    with torch_xla.step():
        ping_again(model(x), flag)  # expect: XLA101 likely


# Bounds


def twenty_five(loss):
    d1(loss)


def d1(loss):
    d2(loss)


def d2(loss):
    d3(loss)


def d3(loss):
    d4(loss)


def d4(loss):
    d5(loss)


def d5(loss):
    d6(loss)


def d6(loss):
    d7(loss)


def d7(loss):
    d8(loss)


def d8(loss):
    d9(loss)


def d9(loss):
    d10(loss)


def d10(loss):
    d11(loss)


def d11(loss):
    d12(loss)


def d12(loss):
    d13(loss)


def d13(loss):
    d14(loss)


def d14(loss):
    d15(loss)


def d15(loss):
    d16(loss)


def d16(loss):
    d17(loss)


def d17(loss):
    d18(loss)


def d18(loss):
    d19(loss)


def d19(loss):
    d20(loss)


def d20(loss):
    d21(loss)


def d21(loss):
    d22(loss)


def d22(loss):
    d23(loss)  # expect: XLA092


def d23(loss):
    d24(loss)


def d24(loss):
    d25(loss)


def d25(loss):
    print(loss)


def too_deep():
    with torch_xla.step():
        twenty_five(model(x))


def just_deep_enough():
    with torch_xla.step():
        d4(model(x))  # expect: XLA101


def many_contexts(loss, options):
    print(loss)


def called_in_many_contexts_that_differ_in_numbers():
    with torch_xla.step():
        loss = model(x)
        many_contexts(loss, 0)  # expect: XLA101
        many_contexts(loss, 1)  # expect: XLA101
        many_contexts(loss, 2)  # expect: XLA101
        many_contexts(loss, 3)  # expect: XLA101
        many_contexts(loss, 4)  # expect: XLA101
        many_contexts(loss, 5)  # expect: XLA101
        many_contexts(loss, 6)  # expect: XLA101
        many_contexts(loss, 7)  # expect: XLA101
        many_contexts(loss, 8)  # expect: XLA101
        many_contexts(loss, 9)  # expect: XLA101
        many_contexts(loss, 10)  # expect: XLA101
        many_contexts(loss, 11)  # expect: XLA101
        many_contexts(loss, 12)  # expect: XLA101
        many_contexts(loss, 13)  # expect: XLA101
        many_contexts(loss, 14)  # expect: XLA101
        many_contexts(loss, 15)  # expect: XLA101
        many_contexts(loss, 16)  # expect: XLA101
        many_contexts(loss, 17)  # expect: XLA101
        many_contexts(loss, 18)  # expect: XLA101
        many_contexts(loss, 19)  # expect: XLA101
        many_contexts(loss, 20)  # expect: XLA101
        many_contexts(loss, 21)  # expect: XLA101
        many_contexts(loss, 22)  # expect: XLA101
        many_contexts(loss, 23)  # expect: XLA101
        many_contexts(loss, 24)  # expect: XLA101
        many_contexts(loss, 25)  # expect: XLA101
        many_contexts(loss, 26)  # expect: XLA101
        many_contexts(loss, 27)  # expect: XLA101
        many_contexts(loss, 28)  # expect: XLA101
        many_contexts(loss, 29)  # expect: XLA101
        many_contexts(loss, 30)  # expect: XLA101
        many_contexts(loss, 31)  # expect: XLA101
        many_contexts(loss, 32)  # expect: XLA101
        many_contexts(loss, 33)  # expect: XLA101
        many_contexts(loss, 34)  # expect: XLA101
        many_contexts(loss, 35)  # expect: XLA101


def more_contexts(loss, options):
    print(loss)


def called_in_too_many_contexts():
    with torch_xla.step():
        loss = model(x)
        more_contexts(loss, {"option0": 1})  # expect: XLA101
        more_contexts(loss, {"option1": 1})  # expect: XLA101
        more_contexts(loss, {"option2": 1})  # expect: XLA101
        more_contexts(loss, {"option3": 1})  # expect: XLA101
        more_contexts(loss, {"option4": 1})  # expect: XLA101
        more_contexts(loss, {"option5": 1})  # expect: XLA101
        more_contexts(loss, {"option6": 1})  # expect: XLA101
        more_contexts(loss, {"option7": 1})  # expect: XLA101
        more_contexts(loss, {"option8": 1})  # expect: XLA101
        more_contexts(loss, {"option9": 1})  # expect: XLA101
        more_contexts(loss, {"option10": 1})  # expect: XLA101
        more_contexts(loss, {"option11": 1})  # expect: XLA101
        more_contexts(loss, {"option12": 1})  # expect: XLA101
        more_contexts(loss, {"option13": 1})  # expect: XLA101
        more_contexts(loss, {"option14": 1})  # expect: XLA101
        more_contexts(loss, {"option15": 1})  # expect: XLA101
        more_contexts(loss, {"option16": 1})  # expect: XLA101
        more_contexts(loss, {"option17": 1})  # expect: XLA101
        more_contexts(loss, {"option18": 1})  # expect: XLA101
        more_contexts(loss, {"option19": 1})  # expect: XLA101
        more_contexts(loss, {"option20": 1})  # expect: XLA101
        more_contexts(loss, {"option21": 1})  # expect: XLA101
        more_contexts(loss, {"option22": 1})  # expect: XLA101
        more_contexts(loss, {"option23": 1})  # expect: XLA101
        more_contexts(loss, {"option24": 1})  # expect: XLA101
        more_contexts(loss, {"option25": 1})  # expect: XLA101
        more_contexts(loss, {"option26": 1})  # expect: XLA101
        more_contexts(loss, {"option27": 1})  # expect: XLA101
        more_contexts(loss, {"option28": 1})  # expect: XLA101
        more_contexts(loss, {"option29": 1})  # expect: XLA101
        more_contexts(loss, {"option30": 1})  # expect: XLA101
        more_contexts(loss, {"option31": 1})  # expect: XLA101
        more_contexts(loss, {"option32": 1})  # expect: XLA101
        more_contexts(loss, {"option33": 1})  # expect: XLA101
        more_contexts(loss, {"option34": 1})  # expect: XLA101
        more_contexts(loss, {"option35": 1})  # expect: XLA101
        more_contexts(loss, {"option36": 1})  # expect: XLA101
        more_contexts(loss, {"option37": 1})  # expect: XLA101
        more_contexts(loss, {"option38": 1})  # expect: XLA101
        more_contexts(loss, {"option39": 1})  # expect: XLA101
        more_contexts(loss, {"option40": 1})  # expect: XLA101
        more_contexts(loss, {"option41": 1})  # expect: XLA101
        more_contexts(loss, {"option42": 1})  # expect: XLA101
        more_contexts(loss, {"option43": 1})  # expect: XLA101
        more_contexts(loss, {"option44": 1})  # expect: XLA101
        more_contexts(loss, {"option45": 1})  # expect: XLA101
        more_contexts(loss, {"option46": 1})  # expect: XLA101
        more_contexts(loss, {"option47": 1})  # expect: XLA101
        more_contexts(loss, {"option48": 1})  # expect: XLA101
        more_contexts(loss, {"option49": 1})  # expect: XLA101
        more_contexts(loss, {"option50": 1})  # expect: XLA101
        more_contexts(loss, {"option51": 1})  # expect: XLA101
        more_contexts(loss, {"option52": 1})  # expect: XLA101
        more_contexts(loss, {"option53": 1})  # expect: XLA101
        more_contexts(loss, {"option54": 1})  # expect: XLA101
        more_contexts(loss, {"option55": 1})  # expect: XLA101
        more_contexts(loss, {"option56": 1})  # expect: XLA101
        more_contexts(loss, {"option57": 1})  # expect: XLA101
        more_contexts(loss, {"option58": 1})  # expect: XLA101
        more_contexts(loss, {"option59": 1})  # expect: XLA101
        more_contexts(loss, {"option60": 1})  # expect: XLA101
        more_contexts(loss, {"option61": 1})  # expect: XLA101
        more_contexts(loss, {"option62": 1})  # expect: XLA101
        more_contexts(loss, {"option63": 1})  # expect: XLA101
        more_contexts(loss, {"option64": 1})  # expect: XLA092
        more_contexts(loss, {"option65": 1})  # expect: XLA092


# What calls itself, and nothing else that matters to the engine, changes nothing: not even what is unknown in it.


def as_records(settings, record):
    if isinstance(settings, dict):
        return record((key, as_records(value, record)) for key, value in settings.items())  # expect: XLA092
    return settings


def reads_after_settings_were_read(settings, record):
    as_records(settings, record)
    loss = model(x)
    print(loss.item())  # expect: XLA102
    torch_xla.sync()


def as_trained(settings):
    if isinstance(settings, dict):
        model(x)
        as_trained(settings["next"])  # expect: XLA092


def reads_after_work_that_calls_itself(settings):
    as_trained(settings)
    loss = model(x)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()
