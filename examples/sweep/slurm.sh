#!/usr/bin/env bash
# slurm.sh SHARDS MODEL.dyn OPTIONS ...: a sweep as jobs of Slurm. One array has a job for each shard; a
# last job puts the table together once all of them have ended well. All nodes must see the current
# folder, where the table and the folder of unfinished work go.
#
#   slurm.sh 20 double_pendulum.dyn --vary "θ1=uniform(-2,2)" --samples 100000 -o table.csv
#
# A shard that failed, or was lost with its node, is submitted again by the same command: what had been
# finished is found. The environment says what jobs need: DYN the program, DYN_CPUS processors for
# each job, SBATCH_PARTITION, SBATCH_TIMELIMIT, ... what sbatch reads.
set -eu
shards=$1
shift
cpus=${DYN_CPUS:-2}
command=$(printf '%q ' "${DYN:-dyn}" sweep "$@" --quiet)

array=$(sbatch --parsable --job-name=dyn-shard --array="1-$shards" --cpus-per-task="$cpus" --requeue << JOB
#!/bin/bash
exec $command --jobs $cpus --shard "\$SLURM_ARRAY_TASK_ID/$shards"
JOB
)
merge=$(sbatch --parsable --job-name=dyn-merge --dependency="afterok:$array" << JOB
#!/bin/bash
exec $command --merge
JOB
)
echo "shards are job $array, the table is job $merge"
