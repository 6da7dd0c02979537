"""What trackers' own readers make of Vstar's numbers.

tracking.py mlflow URI EXPERIMENT    the run of an experiment, by MLflow's client
tracking.py tensorboard FOLDER       the scalars of event files, by TensorBoard's reader
tracking.py prometheus               the samples of the page on standard input, by Prometheus' parser

Prints JSON.
"""

import json
import sys


def mlflow_run(uri, experiment):
    from mlflow import MlflowClient

    client = MlflowClient(uri)
    runs = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    return [
        {
            "status": run.info.status,
            "params": run.data.params,
            "metrics": {
                key: [[point.step, point.value] for point in client.get_metric_history(run.info.run_id, key)]
                for key in run.data.metrics
            },
            "artifacts": sorted(file.path for file in client.list_artifacts(run.info.run_id)),
        }
        for run in runs
    ]


def tensorboard(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(folder)
    events.Reload()
    return {tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def prometheus():
    from prometheus_client.parser import text_string_to_metric_families

    return {s.name: s.value for family in text_string_to_metric_families(sys.stdin.read()) for s in family.samples}


what = {"mlflow": mlflow_run, "tensorboard": tensorboard, "prometheus": prometheus}[sys.argv[1]]
print(json.dumps(what(*sys.argv[2:])))
