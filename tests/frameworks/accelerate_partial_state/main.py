"""The state of accelerate's processes: who is the master, and where all wait."""

import torch
import torch_xla
from accelerate import Accelerator, PartialState


def evaluate(batches):
    state = PartialState()
    model = torch.nn.Linear(4, 4).to(state.device)
    total = torch.zeros((), device=state.device)
    for batch in batches:
        total += model(batch.to(state.device)).mean()
        torch_xla.sync()  # expect: XLA201
    state.wait_for_everyone()  # quiet: all replicas wait
    if state.is_main_process:
        print(total.item())  # quiet: the work has run
        state.wait_for_everyone()  # expect: XLA502

    @state.on_main_process
    def finish():
        PartialState().wait_for_everyone()  # expect: XLA502

    finish()


def train():
    accelerator = Accelerator()
    if accelerator.state.is_local_main_process:
        accelerator.print("training")
    if accelerator.local_process_index == 0:
        accelerator.wait_for_everyone()  # expect: XLA502
