# What the commands beside it share; they source it. Sets $project and $target.
set -euo pipefail
project="$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
target="$project/spark-jobs/target"
layouts="$target/run"
# Where Maven makes what is laid out there.
made="$project/spark-jobs/jobs/target"
# JavaCPP, below LibTorch, would count a model's mapped file as memory, and refuse to go on at four times the heap.
java_options=(--add-modules=jdk.incubator.vector -XX:+IgnoreUnrecognizedVMOptions -XX:-UseFPUForSpilling
  -Dorg.bytedeco.javacpp.maxPhysicalBytes=0)

# The jars of the command that started this one: it stays with them.
inherited_layout="${VSTAR_LAYOUT:-}"

fail() {
  echo "error: $*" >&2
  exit 2
}

# Java cannot ask whether its error stream is a terminal, on which long work has a bar.
if [ -t 2 ]; then export VSTAR_TERMINAL=yes; else unset VSTAR_TERMINAL; fi

case "$project" in
  *:* | *,*) fail "the folder $project has a colon or a comma in its name, which Java's and Spark's lists of jars cannot hold: rename it" ;;
esac

# A file as a URI, which lists with commas can hold whatever its name: uri FILE
uri() {
  local LC_ALL=C path c i out=
  case "$1" in *:/*) printf '%s\n' "$1"; return ;; /*) path="$1" ;; *) path="$PWD/$1" ;; esac
  for ((i = 0; i < ${#path}; i++)); do
    c="${path:i:1}"
    case "$c" in
      [a-zA-Z0-9/._~-]) out="$out$c" ;;
      *) printf -v c '%%%02X' "'$c"; out="$out%${c: -2}" ;;
    esac
  done
  printf 'file://%s\n' "$out"
}

# uris FILE …: joined by commas
uris() {
  local file list=()
  for file in "$@"; do list+=("$(uri "$file")"); done
  join , ${list[@]+"${list[@]}"}
}

# An option of a JVM for a line that Spark splits at spaces: quoted -Dkey=value
quoted() { printf '"%s"' "$(sed 's/[\\"]/\\&/g' <<<"$1")"; }

usage() { fail "wrong arguments: submit/$(basename "$0") --help says which there are"; }

# Refuses a SPARK_HOME that is none.
check_spark() {
  if [ -n "${SPARK_HOME:-}" ] && [ ! -x "$SPARK_HOME/bin/spark-submit" ]; then
    fail "SPARK_HOME is '$SPARK_HOME', expected the folder of a Spark 3.5: there is no bin/spark-submit in it"
  fi
}

# Refuses jars that are not there: check_jars A,B
check_jars() {
  local jar
  local -a list
  IFS=, read -r -a list <<<"$1"
  for jar in ${list[@]+"${list[@]}"}; do
    case "$jar" in *:/*) ;; *) [ -e "$jar" ] || fail "--jars: $jar does not exist" ;; esac
  done
}

# Answers --help and --version before anything is built or started.
answer_help() {
  local name argument
  name="$(basename "$(readlink -f "$0")")"
  for argument in "$@"; do
    case "$argument" in
      --) return ;;
      --help | -h)
        if [ -f "$project/submit/help/$name.txt" ]; then cat "$project/submit/help/$name.txt"
        else sed -n '2,/^[^#]/s/^# *//p' "$0"; fi
        exit 0
        ;;
      --version | -V)
        echo "Vstar $(sed -n 's:^  <version>\(.*\)</version>:\1:p' "$project/pom.xml")"
        exit 0
        ;;
    esac
  done
}

# What a command needs besides the jars of spark-jobs/jobs: modules that are laid out apart.
addons=()

# The folder of an add-on, below the project: addon_folder NAME
addon_folder() {
  case "$1" in instruments) echo spark-jobs/instruments ;; *) echo "model/$1" ;; esac
}

# Whether there is an add-on of that name.
is_addon() {
  [[ "$1" =~ ^[a-z0-9]+$ ]] && [ "$1" != core ] && [ -f "$project/$(addon_folder "$1")/pom.xml" ]
}

# Refuses an add-on that there is not.
check_addon() {
  is_addon "$1" ||
    fail "no add-on '$1', there are: $(ls "$project"/model/*/pom.xml | sed 's:.*/\(.*\)/pom.xml:\1:' | grep -v core | xargs) instruments"
}

# Sets $home to the jars that this command runs from. They stay as they are while it runs: a build lays others
# out beside them.
need_build() {
  local addon
  need_home
  for addon in ${addons[@]+"${addons[@]}"}; do
    if [ ! -d "$home/$addon" ]; then
      "$project/submit/build" "$addon" >&2
      # The build may have laid everything out anew, from sources that have changed.
      if [ -z "$inherited_layout" ]; then
        unset VSTAR_LAYOUT
        need_home
      fi
    fi
    [ -d "$home/$addon" ] || fail "there is no add-on $addon in $home: run submit/build $addon"
  done
}

need_home() {
  find_java
  # Hadoop, below Spark, asks the system for it.
  id -un >/dev/null 2>&1 || fail "user id $(id -u) has no name on this machine, and Hadoop needs one: add it to /etc/passwd"
  home="${VSTAR_LAYOUT:-}"
  if [ -n "$home" ]; then return; fi
  local tries
  for tries in 1 2 3; do
    home="$layouts/$(cat "$layouts/current" 2>/dev/null || true)"
    # Without write access, uses the existing build.
    if [ ! -f "$home/vstar-spark-jobs.jar" ] ||
      { [ "$made/vstar-spark-jobs.jar" -nt "$home/vstar-spark-jobs.jar" ] && [ -w "$layouts" ]; }; then
      "$project/submit/build" >&2
      home="$layouts/$(cat "$layouts/current")"
    fi
    # A build that has not seen this mark may have taken the folder away. Who may not write there goes on without one.
    touch "$home/in-use/$(uname -n):$$" 2>/dev/null || true
    if [ -f "$home/vstar-spark-jobs.jar" ]; then
      export VSTAR_LAYOUT="$home"
      return
    fi
  done
  fail "there are no jars in $layouts: run submit/build"
}

# Adds the add-ons that a command needs by its config, as Vstar itself reads it:
# config_addons COMMAND CONFIG [KEY=VALUE …]
config_addons() {
  local name names command="$1" config="$2"
  shift 2
  case "$config" in file:*) config="/${config#file:}" ;; esac
  if [ ! -f "$config" ]; then
    # One on a store is read by the job alone; what the command line says of it counts here too.
    for name in "$@"; do
      case "$name" in engine=*) find_engine --engine "${name#engine=}" ;; huggingFace*) addons+=(jinja) ;; esac
    done
    [ "$command" != warm-start ] || addons+=(dl4j)
    return 0
  fi
  need_home
  find_java
  names="$("$java" -Xmx128m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
    -cp "$home/vstar-spark-jobs.jar:$home/lib/*:${SPARK_HOME:-$home/spark}/jars/*" org.vstar.spark.cli.ConfigNeeds "$command" "$config" "$@")" ||
    exit 2
  for name in $names; do find_engine --engine "$name"; done
}

# Adds the add-on of an engine that is named by --engine, if it has one.
find_engine() {
  local engine=""
  while [ $# -gt 0 ]; do
    case "$1" in
      --engine) engine="${2:-}" ;;
      --engine=*) engine="${1#--engine=}" ;;
    esac
    shift
  done
  if is_addon "$engine"; then addons+=("$engine"); fi
}

# Sets $java.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java="$(command -v java || true)"; fi
  [ -x "$java" ] || fail "no java: set JAVA_HOME to a JDK 17"
  local release version
  release="$(dirname "$(dirname "$(readlink -f "$java")")")/release"
  version="$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$release" 2>/dev/null)" || true
  [ -n "$version" ] || version="$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -1)" || true
  [ "$version" = 17 ] || fail "java is version ${version:-unknown} (${JAVA_HOME:-$java}), expected 17: set JAVA_HOME to a JDK 17"
}

# run_java [JVM options] MAIN [arguments]: a main class of ours, without Spark's launcher. Its own --jars A,B go to
# the class path.
run_java() {
  check_spark
  need_build
  find_java
  local arguments=() jars="" first="" addon
  # Their libraries are newer than some of Spark's neighbours'.
  for addon in ${addons[@]+"${addons[@]}"}; do first="$first$home/$addon/*:"; done
  while [ $# -gt 0 ]; do
    case "$1" in
      --jars) [ $# -gt 1 ] || fail "--jars needs a value"; check_jars "$2"; jars="$jars:${2//,/:}"; shift 2 ;;
      --jars=*) check_jars "${1#--jars=}"; jars="$jars:$(echo "${1#--jars=}" | tr , :)"; shift ;;
      *) arguments+=("$1"); shift ;;
    esac
  done
  # Stores are known by the same settings as in jobs.
  if [ -z "${SPARK_HOME:-}" ]; then export SPARK_CONF_DIR="${SPARK_CONF_DIR:-$project/conf}"; fi
  # The JDK speaks of that module at every start: who does not compute does without.
  local options=("${java_options[@]}")
  [ "${computes:-yes}" = yes ] || options=("${options[@]:1}")
  exec "$java" "${options[@]}" "-Dlog4j2.configurationFile=$project/conf/log4j2.properties" \
    -cp "$first$home/vstar-spark-jobs.jar:$home/lib/*:${SPARK_HOME:-$home/spark}/jars/*$jars${HADOOP_CONF_DIR:+:$HADOOP_CONF_DIR}" \
    "${arguments[@]}"
}

# What Spark's own settings say of a key: spark_setting KEY [FILE]
spark_setting() {
  local file="${2:-${SPARK_CONF_DIR:-${SPARK_HOME:-$project}/conf}/spark-defaults.conf}"
  sed -n "s/^ *${1//./\\.}[[:space:]=:]*\([^[:space:]]*\).*/\1/p" "$file" 2>/dev/null | tail -1 || true
}

# A Spark of this machine alone shows its pages to this machine alone: listen_here [options of spark-submit]
listen_here() {
  local master="${MASTER:-$(spark_setting spark.master)}"
  while [ $# -gt 0 ]; do
    case "$1" in
      --master) master="${2:-}" ;;
      --master=* | spark.master=* | --conf=spark.master=*) master="${1##*master=}" ;;
    esac
    shift
  done
  case "${master:-local}" in local | local\[*) export SPARK_LOCAL_IP="${SPARK_LOCAL_IP:-127.0.0.1}" ;; esac
}

join() { (IFS="$1"; shift; echo "$*"); }

# Sets $own to the jars that a command of Spark's needs besides Spark's own: of the Spark that the build laid out, only
# Vstar's.
find_jars() {
  check_spark
  if [ -z "${SPARK_HOME:-}" ]; then own=("$home"/lib/vstar-*.jar); else own=("$home"/lib/*.jar); fi
}

# Sets $defaults to what conf/spark-defaults.conf would have said, where another configuration of Spark's holds.
find_defaults() {
  defaults=()
  if [ -z "${SPARK_HOME:-}" ] && [ -z "${SPARK_CONF_DIR:-}" ]; then return; fi
  local conf="${SPARK_CONF_DIR:-$SPARK_HOME/conf}"
  local options="${java_options[*]}"
  defaults+=(--conf "spark.executor.defaultJavaOptions=$options")
  if ! ls "$conf"/log4j2* >/dev/null 2>&1; then
    options="$options $(quoted "-Dlog4j2.configurationFile=$project/conf/log4j2.properties")"
    if ! grep -qs '^ *spark.ui.showConsoleProgress' "$conf/spark-defaults.conf"; then
      defaults+=(--conf spark.ui.showConsoleProgress=false)
    fi
  fi
  defaults+=(--conf "spark.driver.defaultJavaOptions=$options")
}

# Whether a folder is on another store than this machine's: is_remote DIR
is_remote() { case "$1" in file:*) return 1 ;; *:/*) return 0 ;; *) return 1 ;; esac; }

# What an option names, without file: and from the root if it is a folder of this machine, which has to be there then:
# find_place --root DIR
find_place() {
  local place="$2"
  if is_remote "$place"; then
    printf '%s\n' "${place%/}"
    return
  fi
  case "$place" in file:*) place="/$(printf %s "${place#file:}" | sed 's:^/*::')" ;; esac
  [ -d "$place" ] || fail "$1 is '$place', and there is no such folder"
  (CDPATH= cd -- "$place" >/dev/null && pwd)
}

# Sets $sql to the options with which Spark's SQL knows runs: find_sql ROOT RUN SCRATCH, where RUN, which may be empty,
# is the one that sessions begin in, and Hive's own things go to the folder SCRATCH. Without one, sessions begin where
# JDBC clients expect to: in Spark's own database default.
find_sql() {
  find_jars
  find_defaults
  local jars=("$home/vstar-spark-jobs.jar" "${own[@]}")
  sql=(--jars "$(uris "${jars[@]}")" --driver-class-path "$(join : "${jars[@]}")"
    ${defaults[@]+"${defaults[@]}"}
    --conf spark.hadoop.parquet.page.verify-checksum.enabled=true --conf spark.sql.parquet.filterPushdown=false
    --conf spark.sql.extensions=org.vstar.spark.sql.VStarExtensions
    --conf spark.sql.catalog.runs=org.vstar.spark.sql.RunCatalog
    --conf "spark.sql.catalog.runs.root=$1"
    --conf spark.sql.catalogImplementation=in-memory
    --conf "spark.hadoop.javax.jdo.option.ConnectionURL=jdbc:derby:memory:vstar;create=true"
    --conf "spark.driver.extraJavaOptions=\"-Dderby.stream.error.file=$3/derby.log\""
    --conf "spark.sql.warehouse.dir=$3/warehouse")
  if [ -n "$2" ]; then sql+=(--conf spark.sql.defaultCatalog=runs --conf "spark.sql.catalog.runs.run=$2"); fi
}

# Sets $command to what Spark's own spark-class would run: spark_command CLASS [arguments]. Its launcher prints a line
# that holds a NUL alone, then the command and here its exit code, each behind a NUL. What a JVM prints before that is
# not ours.
spark_command() {
  command=()
  {
    while IFS= read -r line && [ -n "$line" ]; do echo "$line" >&2; done
    while IFS= read -r -d '' part; do
      command+=("$part")
    done
  } < <(
    set +e
    "$java" -Xmx128m -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main "$@" | tr -d '\r'
    printf '%d\0' "${PIPESTATUS[0]}"
  )
  local last=$((${#command[@]} - 1))
  [ "$last" -ge 0 ] || exit 1
  [ "${command[$last]}" = 0 ] || exit "${command[$last]}"
  command=("${command[@]:0:$last}")
}
