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
  if [ ! -d "$target/lib" ]; then
    echo "building Vstar (once)" >&2
    "$project/submit/build" >&2
  fi
}

# Sets $java.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java="$(command -v java || true)"; fi
  if [ ! -x "$java" ]; then
    echo "error: no java: set JAVA_HOME to a JDK 17" >&2
    exit 2
  fi
}

# run_java [JVM options] MAIN [arguments]: a main class of ours, without Spark's launcher.
run_java() {
  need_build
  find_java
  exec "$java" --add-modules=jdk.incubator.vector \
    -cp "$target/vstar-spark-jobs.jar:$target/lib/*:${SPARK_HOME:-$target/spark}/jars/*" "$@"
}

join() { (IFS="$1"; shift; echo "$*"); }

# Sets $own to the jars that Spark needs besides its own: of the Spark that the build laid out, only Vstar's.
find_jars() {
  if [ -n "${SPARK_HOME:-}" ]; then own=("$target"/lib/*.jar); else own=("$target"/lib/vstar-*.jar); fi
}
