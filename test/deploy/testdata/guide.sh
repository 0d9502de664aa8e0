# guide.sh DOCUMENT CONFIGURATION PROGRAMS PROMETHEUS WORK: installs benchd without certificates, and secures it by the commands of DOCUMENT
# alone, in their order. All machines of the document are one namespace, with its names, addresses and folders. PROGRAMS and PROMETHEUS are
# folders of programs, CONFIGURATION is deploy/prometheus.
set -euo pipefail
document=$1 configuration=$2 work=$5
export PATH=$3:$4:$PATH HOME=$work/home BENCHD_LOG_FORMAT=json
unset HTTP_PROXY HTTPS_PROXY http_proxy https_proxy

# fail MESSAGE: ends everything, and the processes with it.
fail() {
	echo "guide: $1"
	tail -n 15 "$work"/*.log
	exit 1
}

mount --make-rprivate /
mount -t tmpfs none "$work"
mkdir "$work"/{home,admin}
for dir in /etc /run /var/lib; do
	mkdir -p "$work/upper$dir" "$work/work$dir"
	mount -t overlay overlay -o "lowerdir=$dir,upperdir=$work/upper$dir,workdir=$work/work$dir" "$dir"
done
ip link set lo up
ip address add 10.0.0.1/32 dev lo
echo '10.0.0.1 bench.example.org client-1 client-2 prom' >>/etc/hosts
mkdir -p /etc/benchd /etc/prometheus /run/benchd
cp "$configuration"/* "$work/admin/"
cd "$work/admin"

# scp copies within the namespace, sed as on the machine itself.
scp() {
	local -a words=("$@")
	words[-1]=${words[-1]#*:}
	cp "${words[@]}"
}

# await SAYING COMMAND…: waits two minutes for a command to succeed.
await() {
	local i saying=$1
	shift
	for ((i = 0; i < 240; i++)); do
		! "$@" >"$work/tried" 2>&1 || return 0
		sleep 0.5
	done
	cat "$work/tried"
	fail "$saying"
}

declare -A pids
# start NAME COMMAND: starts a daemon in place of the one of this name.
start() {
	stop "$1"
	eval "exec $2" >"$work/$1.log" 2>&1 &
	pids[$1]=$!
}
stop() {
	[[ -n ${pids[$1]:-} ]] || return 0
	kill "${pids[$1]}"
	wait "${pids[$1]}" || fail "$1 ends with exit code $?"
	unset "pids[$1]"
}

# coordinated: whether the coordinator is ready; connected N: whether N agents are; scraped: whether Prometheus has all three.
coordinated() { curl --silent --insecure --fail --output /dev/null https://10.0.0.1:7071/readyz; }
connected() { [[ $(benchctl agents -o json | jq '[.[] | select(.connected)] | length') == "$1" ]]; }
scraped() { curl --silent 127.0.0.1:9090/api/v1/query?query=up | jq --exit-status '[.data.result[] | select(.value[1] == "1")] | length == 3'; }

# bob: whether the coordinator serves the operator of this name.
bob() {
	benchctl list --profile off --coordinator bench.example.org:7070 --tls-cert bob/tls.crt --tls-key bob/tls.key --tls-ca bob/ca.crt
} >"$work/bob" 2>&1
refused() { ! bob; }

# follow COMMAND: what a reader of the document does with a command.
follow() {
	case $1 in
	*unix:*) ;; # the section on one machine, at the end
	'benchd coordinator '*)
		start coordinator "$1"
		await "the coordinator is not ready" coordinated
		;;
	'benchd agent '*)
		start client-1 "$1 --spool $work/spool-1"
		;;
	'prometheus '*)
		start prometheus "$1 --storage.tsdb.path=$work/tsdb --web.listen-address=127.0.0.1:9090"
		await "Prometheus does not reach all" scraped
		;;
	*)
		local code=0
		eval "$1" >"$work/out" 2>&1 || code=$?
		# Doctor may find faults of this machine.
		[[ $code == 0 || $code == 1 && $1 == 'benchctl doctor'* ]] || { cat "$work/out"; fail "exit code $code of: $1"; }
		;;
	esac
	case $1 in
	'benchd pki list'*) bob || fail "an operator is refused" ;;
	'benchctl doctor'*) ! grep -iE 'no TLS|insecure' "$work/out" || fail "doctor: a listener is open" ;;
	*'curl '*) ! grep benchd_ "$work/out" || fail "a client without a certificate reads metrics" ;;
	*.provenance.listeners*)
		[[ $(grep -c "TLS" "$work/out") == 4 ]] || { cat "$work/out"; fail "the result does not show TLS for two listeners and two agents"; }
		;;
	*--refused*) grep -q 'client-1\|anonymous\|10\.0\.0\.1' "$work/out" || { cat "$work/out"; fail "the audit log has no refusal"; } ;;
	esac
}

start coordinator 'benchd coordinator --listen 10.0.0.1:7070 --http 10.0.0.1:7071 --data /var/lib/benchd --insecure'
for i in 1 2; do
	start "client-$i" "benchd agent --coordinator 10.0.0.1:7070 --name client-$i --spool $work/spool-$i --insecure"
done
export BENCHCTL_COORDINATOR=10.0.0.1:7070 BENCHCTL_INSECURE=true
await "the agents of the unsecured installation have not come" connected 2
benchctl submit --db null --duration 1s --wait >"$work/out" 2>&1 || { cat "$work/out"; fail "a run of the unsecured installation fails"; }
echo "unsecured installation: $(benchctl list | tail -n +2 | wc -l) suite, $(benchctl agents | tail -n +2 | wc -l) agents"
unset BENCHCTL_COORDINATOR BENCHCTL_INSECURE

# The commands of the document, one a line: those of its blocks, with continued lines joined, without comments.
awk '/^```/ { inside = !inside; next } inside' "$document" | sed -e ':a' -e '/\\$/ { N; s/ *\\\n */ /; ta' -e '}' >"$work/commands"
began=$SECONDS commands=0
while read -r command <&3; do
	[[ -n $command ]] || continue
	commands=$((commands + 1))
	echo "$command"
	[[ $command != 'benchctl agents' ]] || await "the agents have not joined" connected 2
	follow "$command"
	# The second agent does the same under its own name. It has other folders and another port only because its machine is this one.
	[[ $command != *client-1* ]] || {
		second=${command//client-1/client-2}
		case $command in
		scp*) follow "${second/benchd\/token/benchd\/token-2}" ;;
		*) follow "$second" ;;
		esac
	}
	[[ $command != 'benchd agent '*--join* ]] || {
		second=${command/benchd\/token/benchd\/token-2}
		second=${second/lib\/benchd/lib\/client-2}
		start client-2 "${second/7072/7073} --spool $work/spool-2"
	}
done 3<"$work/commands"
((commands >= 20)) || fail "the document has only $commands commands"
echo "$commands commands, $((SECONDS - began)) s"

# Who has no certificate, or a revoked one, is refused; the results of before are kept.
[[ $(benchctl list -o json | jq length) == 2 ]] || { benchctl list; fail "results are lost"; }
! benchctl list --profile off --coordinator 10.0.0.1:7070 --insecure >"$work/out" 2>&1 || fail "a client without TLS is served"
await "the revoked operator is served" refused
grep -q certificate "$work/bob" || { cat "$work/bob"; fail "the refusal of a revoked certificate does not name it"; }
for name in prometheus client-2 client-1 coordinator; do stop "$name"; done

# One machine, by its section.
grep 'unix:' "$work/commands" >"$work/local"
mapfile -t commands <"$work/local"
start coordinator "${commands[0]}"
await "the coordinator has no socket" benchctl agents --coordinator unix:/run/benchd/benchd.sock
start agent "${commands[1]} --spool $work/spool-3"
await "an agent does not come to the socket" bash -c "${commands[2]} | grep -q idle"
for name in agent coordinator; do stop "$name"; done
