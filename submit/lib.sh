# What the commands beside it share; they source it. Sets $project and $target.
set -euo pipefail
project="$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
target="$project/spark-jobs/target"
layouts="$target/run"
# What a distribution has instead (submit/dist).
packed="$project/jars"
# The folder of a module in which Maven makes what is laid out there, and with which profiles.
output=target
profiles=()
# The jars have to be for the Scala of the user's Spark.
scala=2.12
# Whether SPARK_HOME has such a jar: spark_has PATTERN
spark_has() { (cd "${SPARK_HOME:-/none}/jars" 2>/dev/null && compgen -G "$1" >/dev/null); }
if spark_has 'spark-core_2.13-*.jar'; then
  scala=2.13 layouts="$target/run-spark4" output=target/spark4 profiles=(-Pspark4)
fi
made="$project/spark-jobs/jobs/$output"
# JavaCPP, below LibTorch, would count a model's mapped file as memory, and refuse to go on at four times the heap.
java_options=(--add-modules=jdk.incubator.vector -XX:+IgnoreUnrecognizedVMOptions -XX:-UseFPUForSpilling
  -Dorg.bytedeco.javacpp.maxPhysicalBytes=0)
export VSTAR_PROJECT="$project" VSTAR_JAVA_OPTIONS="${java_options[*]}"

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

usage() { fail "wrong arguments: submit/$(basename "$0") --help says which there are"; }

# Refuses a SPARK_HOME that is none.
check_spark() {
  if [ -n "${SPARK_HOME:-}" ] && [ ! -x "$SPARK_HOME/bin/spark-submit" ]; then
    fail "SPARK_HOME is '$SPARK_HOME', expected the folder of a Spark 3.5 or 4.2: there is no bin/spark-submit in it"
  fi
  [ "$scala" = 2.12 ] || spark_has 'spark-core_2.13-4.2.*.jar' ||
    fail "SPARK_HOME is '$SPARK_HOME', a Spark on Scala 2.13 that is not 4.2: expected Spark 4.2, or 3.5 on Scala 2.12"
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

# The version: a distribution has it in a file of its own.
version() {
  cat "$project/version" 2>/dev/null || sed -n 's:^  <version>\(.*\)</version>:\1:p' "$project/pom.xml"
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
        echo "Vstar $(version)"
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
  [[ "$1" =~ ^[a-z0-9]+$ ]] && [ "$1" != core ] && [ "$1" != lib ] &&
    { [ -f "$project/$(addon_folder "$1")/pom.xml" ] || [ -d "$packed/$1" ]; }
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
      [ "$home" != "$packed" ] || fail "this distribution has no add-on $addon: submit/dist --add-ons $addon of a checkout makes one with it"
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
  if [ -d "$packed" ]; then
    [ -n "${SPARK_HOME:-}" ] || fail "SPARK_HOME is not set: name the folder of a Spark, which a distribution of Vstar does not bring"
    home="$packed"
    [ "$(cat "$packed/scala" 2>/dev/null || echo 2.12)" = "$scala" ] ||
      fail "this distribution is for Scala $(cat "$packed/scala" 2>/dev/null || echo 2.12), SPARK_HOME has Scala $scala: submit/dist of a checkout makes one for it, with the same SPARK_HOME"
    export VSTAR_LAYOUT="$home"
    return
  fi
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

# Sets $command to what Vstar's launcher makes of a command line: plan COMMAND [arguments]. It says what to do next as
# words, each behind a NUL, with its exit code behind them.
plan() {
  local words word last
  check_spark
  need_home
  while :; do
    words=()
    while IFS= read -r -d '' word; do words+=("$word"); done < <(
      set +e
      VSTAR_LAYOUT="$home" "$java" -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
        "-Dlog4j2.configurationFile=$project/conf/log4j2.properties" \
        -cp "$home/vstar-spark-jobs.jar:$home/lib/*:${SPARK_HOME:-$home/spark}/jars/*" \
        org.vstar.spark.launch.Launcher "$@"
      printf '%d\0' $?
    )
    last=$((${#words[@]} - 1))
    [ "${words[$last]}" = 0 ] || exit "${words[$last]}"
    case "${words[0]}" in
      run) command=(env "${words[@]:1:$((last - 1))}"); return ;;
      end) printf '%s' "${words[2]}"; exit "${words[1]}" ;;
    esac
    addons=("${words[@]:1:$((last - 1))}")
    need_build
  done
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

# Becomes the job of $command. A process that is killed cannot say so: what stays behind does.
run_job() {
  export VSTAR_END_MARK
  VSTAR_END_MARK="$(mktemp)"
  report_kill $$ "$VSTAR_END_MARK" "$(basename "$0")" &
  exec "${command[@]}"
}

# Waits for the end of a process, and tells if its mark is still there: report_kill PID MARK COMMAND
report_kill() {
  exec </dev/null >/dev/null
  trap '' HUP INT TERM
  tail --pid="$1" -s 0.3 -f /dev/null 2>/dev/null || while kill -0 "$1" 2>/dev/null; do sleep 1; done
  if [ -s "$2" ]; then
    echo "error: submit/$3 was killed before it could end, most often by the system because memory ran out:" \
      "lower train.microBatchTokens, slots or driverMemory, or set activationCheckpointing: true; --resume goes on" >&2
  fi
  rm -f "$2"
}
