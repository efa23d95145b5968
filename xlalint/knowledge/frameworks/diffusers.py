"""diffusers on XLA devices: its models and schedulers of noise, which users call in loops of their own.

Pipelines cut the graph in each of their steps where torch_xla is installed, and are left unknown.
"""

import safetensors.torch
import torch

MODULES = ("diffusers",)
NAMED_LIKE = {"ModelMixin": ("*Model", "Autoencoder*", "*AutoencoderKL*"), "SchedulerMixin": ("*Scheduler",)}


class _Posterior:
    def __init__(self, moments):
        self.mean = moments
        self.logvar = moments
        self.std = moments
        self.var = moments

    def sample(self, generator=None):
        return self.mean + torch.randn_like(self.mean)

    def mode(self):
        return self.mean

    def kl(self, other=None):
        return self.mean.square().sum()


class _Output:
    def __init__(self, sample):
        self.sample = sample
        self.latents = sample
        self.latent_dist = _Posterior(sample)

    def __getitem__(self, index):
        return self.sample


class ModelMixin(torch.nn.Module):
    def __init__(self, **named):
        self.network = torch.nn.Linear(1, 1)
        self.recomputes = False

    @classmethod
    def from_pretrained(cls, *given, **named):
        model = cls()
        model.load_state_dict(what_somebody_has_saved)
        return model.eval()

    @classmethod
    def from_config(cls, *given, **named):
        return cls()

    def forward(self, *inputs, **named):
        if self.recomputes and self.training:
            torch.utils.checkpoint.checkpoint(self.network, torch.zeros(1, device=next(self.parameters()).device))
        return _Output(self.network(inputs))

    def encode(self, x, return_dict=True):
        return _Output(self.network(x))

    def decode(self, z, return_dict=True):
        return _Output(self.network(z))

    def save_pretrained(self, save_directory, safe_serialization=True, **named):
        if safe_serialization:
            safetensors.torch.save_file(self.state_dict(), save_directory)

    def enable_gradient_checkpointing(self):
        # It is called in each forward that trains. A model that is on the device by now is to train there.
        if self.device.type in ("xla",):
            torch.utils.checkpoint.checkpoint(self.network, torch.zeros(1, device=self.device))
        else:
            self.recomputes = True

    def disable_gradient_checkpointing(self):
        self.recomputes = False

    def enable_xformers_memory_efficient_attention(self, attention_op=None):
        pass


class _Step:
    def __init__(self, sample):
        self.prev_sample = sample
        self.pred_original_sample = sample

    def __getitem__(self, index):
        return self.prev_sample


class SchedulerMixin:
    def __init__(self, **named):
        self.timesteps = torch.linspace(999, 0, 1000)

    @classmethod
    def from_pretrained(cls, *given, **named):
        return cls()

    @classmethod
    def from_config(cls, *given, **named):
        return cls()

    def set_timesteps(self, num_inference_steps=None, device=None, **named):
        self.timesteps = torch.linspace(999, 0, 50, device=device)

    def add_noise(self, original_samples, noise, timesteps):
        return original_samples + noise

    def get_velocity(self, sample, noise, timesteps):
        return noise - sample

    def scale_model_input(self, sample, *given, **named):
        return sample

    def step(self, model_output, timestep, sample, *given, **named):
        return _Step(sample - model_output)
