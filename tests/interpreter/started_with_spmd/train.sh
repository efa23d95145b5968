#!/bin/sh
XLA_USE_SPMD=1 PJRT_DEVICE=TPU python main.py "$@"
