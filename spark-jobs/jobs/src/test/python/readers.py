"""How readers that know nothing of Vstar see the folders of a run's tables.

readers.py TABLES SQLITE NAMESPACE TABLE…

Prints JSON: for each TABLE and each reader the number of rows and the names of the columns, as that reader opens the
folder; and the same of the Iceberg tables samples and vstar in the catalog `lake`, unless SQLITE is empty. `types` has
the types of each table's columns as pyarrow sees them.
"""

import json
import sys

import duckdb
import pandas
import polars
import pyarrow.dataset
from pyiceberg.catalog import load_catalog

tables, database, namespace, *names = sys.argv[1:]
seen = {"types": {}}
for table in names:
    folder = f"{tables}/{table}"
    seen["types"][table] = {field.name: str(field.type) for field in pyarrow.dataset.dataset(folder).schema}
    frames = {
        "pandas": pandas.read_parquet(folder),
        "pyarrow": pyarrow.dataset.dataset(folder).to_table().to_pandas(),
        "polars": polars.scan_parquet(folder).collect(),
        "duckdb": duckdb.sql(f"SELECT * FROM '{folder}/**/*.parquet'").df(),
    }
    seen[table] = {name: [len(frame), sorted(frame.columns)] for name, frame in frames.items()}
    if table == "samples":
        seen["returns"] = {name: float(frame["return"].sum()) for name, frame in frames.items()}
for table in ("samples", "vstar") if database else ():
    catalog = load_catalog("lake", type="sql", uri=f"sqlite:///{database}")
    frame = catalog.load_table(f"{namespace}.{table}").scan().to_pandas()
    seen[table]["pyiceberg"] = [len(frame), sorted(frame.columns)]
print(json.dumps(seen))
