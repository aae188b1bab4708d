# shellcheck shell=bash disable=SC2034  # the scripts that source this use the variables
# Sourced by test and sanitize: the passes in which the tests run.
#
# The first pass is plain `swift test`: all tests that need only the build. The others set
# ROWGATE_TESTS=programs and run the tests that start installed programs; these have the trait
# `.enabled(if: InstalledPrograms.areAllowed)`, from which the patterns are made. They wait in real time for
# brokers, buses and databases. In parallel with hundreds of other tests they would also wait for one of
# Swift's few threads. Rooms of real programs are a separate pass, a few at a time, since each has five
# programs and eight rowers. Tests of killed ring writers use too much processor time for that pass.

# tagged: prints a pattern of the suites and tests outside of SystemTests that have the trait
tagged() {
  # shellcheck disable=SC2046  # file names have no spaces
  awk '
    FNR == 1 { split(FILENAME, part, "/"); target = part[2]; suite = ""; is_tagged = 0 }
    target == "SystemTests" { next }
    /InstalledPrograms\.areAllowed\)|PythonPackage\.has/ { is_tagged = 1 }
    match($0, /(struct|class|actor|enum) [A-Za-z0-9]+/) && /Tests/ {
      split(substr($0, RSTART, RLENGTH), word, " ")
      if (word[2] ~ /Tests$/) {
        suite = word[2]
        if (is_tagged) { found = found "|" target "\\." suite "[./]"; is_tagged = 0 }
      }
    }
    is_tagged && match($0, /func [A-Za-z0-9]+/) {
      found = found "|" target "\\." suite "/" substr($0, RSTART + 5, RLENGTH - 5) "[(]"
      is_tagged = 0
    }
    END { print substr(found, 2) }' $(find Tests -path '*Tests/*' -name '*.swift' | sort)
}

# Suites that call databases, which block Swift's few threads meanwhile: what runs beside them in one process
# waits for these threads. All suites of LogbookStoresTests also run on PostgreSQL.
stores='^(LogbookStoresTests|LogbookInspectionTests\.StoreMoveTests|LogbookTests\.BothStoresTests)[./]'
services="$stores|^($(tagged))"
rooms='^SystemTests[./]'
kills='^SystemTests\.RingKillTests[./]'
day='EveryStrokeOfADay'
