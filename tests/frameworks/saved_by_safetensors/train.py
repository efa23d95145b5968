"""Models on the device that are saved by safetensors, which asks where in memory their tensors lie."""

import torch
import torch_xla
from diffusers import UNet2DModel
from elsewhere import Captioner
from safetensors.torch import save_file, save_model
from transformers import AutoModelForCausalLM

device = torch_xla.device()


def on_the_device():
    model = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
    model.save_pretrained("out")  # expect: XLA601 likely
    model.save_pretrained("out", is_main_process=True)  # expect: XLA601 likely
    unet = UNet2DModel.from_pretrained("unet").to(device)
    unet.save_pretrained("out")  # expect: XLA601 likely
    save_file(model.state_dict(), "model.safetensors")  # expect: XLA601
    save_model(unet, "model.safetensors")  # expect: XLA601
    save_file({"step": torch.zeros(1, device=device)}, "step.safetensors")  # expect: XLA601


def of_a_class_that_nobody_knows(name):
    model = Captioner(name).to(device)
    model.save_pretrained("out")  # expect: XLA601 likely
    model.vision.save_pretrained("out")  # expect: XLA601 likely
    model.vision.tower.save_pretrained("out")  # expect: XLA601 likely
    model.vision.save_pretrained("out", safe_serialization=False)
    model.vision.save_pretrained("out", state_dict=copied(model))
    model.image_processor.save_pretrained("out")
    model.cpu()
    model.vision.save_pretrained("out")


def copied_to_the_host():
    model = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
    copies = {name: each.cpu() for name, each in model.state_dict().items()}
    save_file(copies, "model.safetensors")
    model.save_pretrained("out", state_dict=copies)
    model.save_pretrained("out", safe_serialization=False)
    model.to("cpu")
    model.save_pretrained("out")


def never_moved():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.save_pretrained("out")
    save_model(model, "model.safetensors")


on_the_device()
of_a_class_that_nobody_knows("base")
copied_to_the_host()
never_moved()
