"""open_clip, and the CLIP that it follows: their models stay on the host unless another device is named."""

import torch

MODULES = ("open_clip", "clip")


class _Clip(torch.nn.Module):
    def __init__(self):
        self.network = torch.nn.Linear(1, 1)
        self.logit_scale = torch.nn.Parameter(torch.ones([]))

    def forward(self, image=None, text=None):
        return self.encode_image(image), self.encode_text(text), self.logit_scale.exp()

    def encode_image(self, image, normalize=False):
        return self.network(image)

    def encode_text(self, text, normalize=False):
        return self.network(text)


def create_model(model_name, pretrained=None, precision="fp32", device="cpu", **named):
    return _Clip().to(device)


def create_model_and_transforms(model_name, pretrained=None, precision="fp32", device="cpu", **named):
    return create_model(model_name, device=device), transform_of_training, transform_of_evaluation


def create_model_from_pretrained(model_name, pretrained=None, precision="fp32", device="cpu", **named):
    return create_model(model_name, device=device), transform_of_evaluation


def load(name, device="cpu", jit=False, download_root=None):
    return create_model(name, device=device), transform_of_evaluation
