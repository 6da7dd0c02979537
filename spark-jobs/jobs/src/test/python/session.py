"""Runs of a folder in a session of PySpark, by the settings that the page of tables names.

session.py ROOT NAMESPACE JARS

Prints JSON: the tables, the rows of vstar as pandas has them, and vstar(return, 0.5) of the samples, task by task.
"""

import json
import sys

from pyspark.sql import SparkSession

root, namespace, jars = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars", jars)
    .config("spark.ui.enabled", "false")
    .config("spark.sql.extensions", "org.vstar.spark.sql.VStarExtensions")
    .config("spark.sql.catalog.runs", "org.vstar.spark.sql.RunCatalog")
    .config("spark.sql.catalog.runs.root", root)
    .getOrCreate()
)
tables = [row.tableName for row in spark.sql(f"SHOW TABLES IN runs.{namespace}").collect()]
values = spark.sql(f"SELECT task_id, v_star FROM runs.{namespace}.vstar ORDER BY task_id").toPandas()
again = spark.sql(f"SELECT vstar(return, 0.5) AS v FROM runs.{namespace}.samples GROUP BY task_id ORDER BY task_id")
print(
    json.dumps(
        {"version": spark.version, "tables": sorted(tables), "values": values["v_star"].tolist(), "again": [r.v for r in again.collect()]}
    )
)
spark.stop()
