# What the commands beside it share; they source it. Sets $project and $target.
set -euo pipefail
project="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
target="$project/spark-jobs/target"

# The words of a command's own head comment, as its help.
usage() {
  sed -n '2,/^[^#]/s/^# *//p' "$0" >&2
  exit 2
}

need_build() {
  [ -d "$target/lib" ] || "$project/submit/build"
}

java_command() {
  if [ -n "${JAVA_HOME:-}" ]; then echo "$JAVA_HOME/bin/java"; else command -v java; fi
}

# run_java [JVM options] MAIN [arguments]: a main class of ours, without Spark's launcher.
run_java() {
  need_build
  exec "$(java_command)" --add-modules=jdk.incubator.vector \
    -cp "$target/vstar-spark-jobs.jar:$target/lib/*:${SPARK_HOME:-$target/spark}/jars/*" "$@"
}

join() { (IFS="$1"; shift; echo "$*"); }

# The jars that Spark needs besides its own: of the Spark that the build laid out, only Vstar's.
vstar_jars() {
  if [ -n "${SPARK_HOME:-}" ]; then ls "$target"/lib/*.jar; else ls "$target"/lib/vstar-*.jar; fi
}
