"""Runs emitted queries on DuckDB, Spark and DataFusion: FOLDER/<table>.<plan>.<engine>.sql over
FOLDER/<table>.parquet, each result into FOLDER/<table>.<plan>.<engine>.csv as the engine itself writes CSV.

An engine that is not installed is skipped, and said so."""

import glob
import os
import sys

folder = sys.argv[1]
tables = sorted(os.path.basename(path)[: -len(".parquet")] for path in glob.glob(f"{folder}/*.parquet"))


def queries(engine):
    for path in sorted(glob.glob(f"{folder}/*.{engine}.sql")):
        with open(path, encoding="utf-8", newline="") as file:
            yield path[: -len(".sql")] + ".csv", file.read()


def duckdb_():
    import duckdb

    connection = duckdb.connect()
    for table in tables:
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder}/{table}.parquet')")
    for path, query in queries("duckdb"):
        connection.sql(query).write_csv(path)


def spark_():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    for table in tables:
        session.read.parquet(f"{folder}/{table}.parquet").repartition(3).createOrReplaceTempView(table)
    for path, query in queries("spark"):
        result = session.sql(query)
        result.coalesce(1).write.csv(path + ".folder", header=True)
        (part,) = glob.glob(f"{path}.folder/part-*.csv")
        os.rename(part, path)
    session.stop()


def datafusion_():
    import datafusion

    context = datafusion.SessionContext()
    for table in tables:
        context.register_parquet(table, f"{folder}/{table}.parquet")
    for path, query in queries("datafusion"):
        context.sql(query).write_csv(path, with_header=True)


for name, run in (("duckdb", duckdb_), ("datafusion", datafusion_), ("spark", spark_)):
    try:
        __import__("pyspark" if name == "spark" else name)
    except ImportError:
        print(f"SKIPPED: {name} is not installed")
        continue
    run()
    print(f"{name}: {len(list(queries(name)))} queries")
