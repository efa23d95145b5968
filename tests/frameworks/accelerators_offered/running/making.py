from accelerate import Accelerator

accelerator = Accelerator()


def get_accelerator(batches):
    return Accelerator(gradient_accumulation_steps=batches)
