# Not yet: python xla_spawn.py --num_cores 8 run_on_gpus.py
torchrun --nproc_per_node 8 run_on_gpus.py --epochs 3
