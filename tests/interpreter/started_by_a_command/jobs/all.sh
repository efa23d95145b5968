#!/bin/sh
CORES=8
export WORKERS=1
python started_by_a_command/main.py --batch 16 \
  --num_cores=8 "$@"
python ./asked_of_a_variable.py --num-cores ${CORES}
python alone.py --num-cores "$WORKERS"
# python no_longer.py --num-cores 8
python $HOME/elsewhere.py --num-cores 8
python tools/elsewhere.py --num-cores 8
WORLD=1
python changed.py --num-cores $WORLD
WORLD=8
