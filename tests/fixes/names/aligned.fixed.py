"""Arguments stand below the first one, and a name in prose keeps no import."""

import torch_xla


def train(index, flags):
    print("Before xmp.spawn call", index, flags)


torch_xla.launch(train, args=({},),
                 start_method="spawn")
