# shellcheck shell=bash
# Runs make targets one after another, each within its time limit, continues after a failed one, and counts their tests.
# Sourced by .ci/run and scripts/nightly, at the top of the checkout:
#
#  1. begin FOLDER   empties FOLDER: the events of each step's tests are kept there until the next run, as STEP.json;
#  2. step …         makes a target, and prints its ten slowest tests. Where the array `only` names targets, others are left out;
#  3. finish         prints the output of failed tests, a table of the steps with their settings, outcome and time, and
#                    `N passed, M failed`. Its exit code is 0 if nothing failed.

# begin FOLDER
begin() {
	reports=$PWD/$1
	rm -rf "$reports" && mkdir -p "$reports" || exit 1
	broken=()     # the steps that failed
	lines=()      # of the table
	unexplained=0 # how many steps failed without a failing test
	only=()       # the targets to make; empty: all
}

# need COMMAND PACKAGE: installs the package where the command is missing.
need() {
	command -v "$1" >/dev/null && return
	echo "== $1 is missing: installing $2"
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" && return
	echo "$1 is missing and could not be installed: install $2"
}

# count FILE…: prints how many tests passed and failed, each test of each package once. A package that fails although
# none of its tests did (it does not compile, it panics, it runs out of time) counts as one.
count() {
	cat "$@" 2>/dev/null | awk '
		/"Action":"(pass|fail)"/ {
			match($0, /"Package":"[^"]*"/); package = substr($0, RSTART, RLENGTH)
			if (match($0, /"Test":"([^"\\]|\\.)*"/)) {
				name = package substr($0, RSTART, RLENGTH)
				if (/"Action":"fail"/) { fail[name]; blamed[package] } else pass[name]
			} else if (/"Action":"fail"/) wrong[package]
		}
		END {
			for (name in fail) { f++; delete pass[name] }
			for (name in pass) p++
			for (package in wrong) if (!(package in blamed)) f++
			print p + 0, f + 0
		}'
}

# slowest FILE…: prints the ten slowest tests, with the seconds and the package of each. It leaves out tests below half a second,
# and subtests, whose time is in their test. A cached result took no time.
slowest() {
	cat "$@" 2>/dev/null | awk '
		/"Action":"output"/ && /\(cached\)/ { match($0, /"Package":"[^"]*"/); cached[substr($0, RSTART + 11, RLENGTH - 12)] }
		/"Action":"(pass|fail)"/ && /"Test":"[^"\/]*"/ {
			match($0, /"Elapsed":[0-9.]+/); seconds = substr($0, RSTART + 10, RLENGTH - 10)
			match($0, /"Package":"[^"]*"/); package = substr($0, RSTART + 11, RLENGTH - 12)
			match($0, /"Test":"[^"]*"/); name = substr($0, RSTART + 8, RLENGTH - 9)
			if (seconds >= 0.5) took[package " " name] = seconds
		}
		END {
			for (test in took) {
				split(test, part, " ")
				if (part[1] in cached) continue
				sub(/^github.com\/benchd\/benchd\/?/, "", part[1])
				printf "%9.1f s  %s  %s\n", took[test], part[2], part[1]
			}
		}' | sort -rn | head -n 10
}

# complaints FILE…: prints the errors of failed tests without their other output, which would hide them.
complaints() {
	cat "$@" 2>/dev/null | awk '
		{ name = match($0, /"Test":"([^"\\]|\\.)*"/) ? substr($0, RSTART + 8, RLENGTH - 9) : "" }
		name != "" && /"Action":"output"/ {
			match($0, /"Output":"([^"\\]|\\.)*"/); text = substr($0, RSTART + 10, RLENGTH - 11)
			if (text ~ /Error Trace:|panic:|WARNING: DATA RACE/) left[name] = 25
			if (left[name]-- > 0) {
				gsub(/\\t/, "  ", text); gsub(/\\n/, "", text); gsub(/\\"/, "\"", text)
				gsub(/\\u003c/, "<", text); gsub(/\\u003e/, ">", text); gsub(/\\u0026/, "\\&", text)
				said[name] = said[name] substr(text, 1, 300) "\n"
			}
		}
		name != "" && /"Action":"fail"/ && said[name] != "" { printf "== %s failed:\n%s\n", name, said[name] }'
}

# step MINUTES TARGET [NAME=VALUE…]: makes the target and counts the tests that it ran. A target may write several
# reports: TARGET.json, TARGET+….json.
step() {
	local minutes=$1 target=$2 begin=$SECONDS status=0 p=0 f=0 slow seconds
	shift 2
	[[ ${#only[@]} -eq 0 || " ${only[*]} " == *" $target "* ]] || return 0
	printf '\n== make %s\n' "$target${*:+ $*}"
	timeout --kill-after=30s "${minutes}m" make "$target" REPORT="$reports/$target.json" "$@" || status=$?
	seconds=$((SECONDS - begin))
	read -r p f < <(count "$reports/$target"{,+*}.json)
	if ((status != 0)); then
		broken+=("make $target")
		((f > 0)) || unexplained=$((unexplained + 1))
	fi
	slow=$(slowest "$reports/$target"{,+*}.json)
	[[ -z $slow ]] || printf '== make %s: the slowest tests\n%s\n' "$target" "$slow"
	printf '== make %s: exit code %d, %d passed, %d failed, %d s\n' "$target" "$status" "$p" "$f" "$seconds"
	lines+=("$(printf '%-30s %9d %7d %7d %8d' "$target${*:+ $*}" "$status" "$p" "$f" "$seconds")")
	((status != 124 && status != 137)) || echo "it was stopped after $minutes minutes"
}

# finish
finish() {
	local passed failed
	read -r passed failed < <(count "$reports"/*.json)
	failed=$((failed + unexplained))
	echo
	complaints "$reports"/*.json
	printf '%-30s %9s %7s %7s %8s\n' step 'exit code' passed failed seconds
	printf '%s\n' "${lines[@]}"
	printf '%-30s %9s %7d %7d %8d\n\n' all '' "$passed" "$failed" "$SECONDS"
	if ((${#broken[@]} > 0)); then
		printf 'broken: %s\n' "${broken[@]}"
	fi
	echo "$passed passed, $failed failed"
	((failed == 0))
}
