"""Models of open_clip are made on the host, unless a device is named."""

import clip
import open_clip
import torch
import torch_xla

device = torch_xla.device()


def made_before_the_move(name, batches):
    model, _, preprocess = open_clip.create_model_and_transforms(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model = model.to(device)  # expect: XLA701
    for images, texts in batches:
        with torch_xla.step():
            images_on, texts_on, scale = model(images.to(device), texts.to(device))
            (scale * images_on @ texts_on.t()).mean().backward()
            optimizer.step()


def made_there(name, batches):
    model, preprocess = clip.load(name, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model = model.to(device)
    for images, texts in batches:
        with torch_xla.step():
            images_on, texts_on, scale = model(images.to(device), texts.to(device))
            (scale * images_on @ texts_on.t()).mean().backward()
            optimizer.step()
