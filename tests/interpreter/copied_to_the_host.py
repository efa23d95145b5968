# ruff: noqa
# mypy: ignore-errors
"""State dicts in which a loop puts copies on the host in the place of what the device holds."""

import torch
import torch_xla


def copy_to_the_host(weights):
    for key, value in weights.items():
        weights[key] = value.cpu()


def count_on_the_host(weights):
    weights = {key: value.cpu() for key, value in weights.items()}
    return len(weights)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def save_weights(self, file, dtype):
        state = self.state_dict()
        if dtype is not None:
            for key in list(state.keys()):
                state[key] = state[key].detach().clone().to("cpu").to(dtype)
        torch.save(state, file)

    def save_all_weights(self, file):
        state = self.state_dict()
        for key, value in state.items():
            state[key] = value.cpu()
        torch.save(state, file)

    def save_what_a_helper_copied(self, file):
        state = self.state_dict()
        copy_to_the_host(state)
        torch.save(state, file)

    def save_what_a_helper_only_counted(self, file):
        state = self.state_dict()
        print(count_on_the_host(state))
        torch.save(state, file)  # expect: XLA601

    def save_with_a_step(self, file, step):
        state = self.state_dict()
        state["step"] = step
        torch.save(state, file)  # expect: XLA601

    def save_detached(self, file):
        state = self.state_dict()
        for key, value in state.items():
            state[key] = value.detach()
        torch.save(state, file)  # expect: XLA601


network = Network().to(torch_xla.device())
network.save_weights("network.pt", torch.bfloat16)
network.save_all_weights("network.pt")
network.save_what_a_helper_copied("network.pt")
network.save_what_a_helper_only_counted("network.pt")
network.save_with_a_step("network.pt", 3)
network.save_detached("network.pt")
