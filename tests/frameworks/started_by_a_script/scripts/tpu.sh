export PJRT_DEVICE=TPU
python xla_spawn.py --num_cores 8 \
    run_classifier.py --epochs 3
