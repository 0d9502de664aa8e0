# run.sh IMAGE WORK USER ENTRY COORDINATOR… -- AGENT…: starts coordinator and agent from an image, each in a root of its own as a
# container engine makes it: read-only but for its volume and /tmp, an ordinary user without any privilege, the names of the
# network in /etc/hosts. Ports are the namespace's own, so they are those of the deployment. With TLS=1 the services of the command
# lines need certificates: an authority of the image's own benchd issues them. Otherwise they share a volume for a unix socket, and have
# the VARIABLES, NAME=VALUE….
set -euo pipefail
image=$1 work=$2 user=$3 entry=$4
shift 4
coordinator=()
while [[ $1 != -- ]]; do
	coordinator+=("$1")
	shift
done
shift

# fail MESSAGE: ends everything, and the processes with it.
fail() {
	echo "run: $1"
	tail -n 20 "$work"/*.log
	exit 1
}

read -ra variables <<<"${VARIABLES:-}"
# With certificates benchctl is an operator.
if [[ -n ${TLS:-} ]]; then
	operator=/etc/benchd/operator
	variables=("BENCHCTL_TLS_CERT=$operator/tls.crt" "BENCHCTL_TLS_KEY=$operator/tls.key" "BENCHCTL_TLS_CA=$operator/ca.crt")
fi

mount --make-rprivate /
ip link set lo up

# own: the options of a volume for the user of the image.
own="mode=0700,uid=${user%:*},gid=${user#*:}"
mkdir "$work/socket"
mount -t tmpfs -o "$own" none "$work/socket"

# contain NAME: makes a container's root at WORK/NAME.
contain() {
	local root=$work/$1
	cp -a "$image" "$root"
	mkdir -p "$root"/{proc,dev}
	printf '127.0.0.1 localhost coordinator benchd-coordinator\n' >"$root/etc/hosts"
	if [[ -n ${TLS:-} ]]; then
		mkdir -p "$root/etc/benchd" && cp -a "$work/tls/$1" "$root/etc/benchd/tls"
		cp -a "$work/tls/operator" "$root/etc/benchd/operator"
	else
		mkdir -p "$root/run/benchd"
	fi
	mount --bind "$root" "$root"
	mount -o remount,bind,ro "$root"
	mount -t proc proc "$root/proc"
	mount -t tmpfs -o mode=1777 none "$root/tmp"
	mount -t tmpfs -o "$own" none "$root/var/lib/benchd"
	[[ -n ${TLS:-} ]] || mount --bind "$work/socket" "$root/run/benchd"
}

# enter NAME COMMAND…: becomes a command in a container.
enter() {
	local root=$work/$1
	shift
	exec setpriv --no-new-privs env -i PATH=/usr/local/bin "${variables[@]}" "$(command -v chroot)" --userspec="$user" --groups= "$root" "$@"
}

# inside NAME COMMAND…: runs a command in a container.
inside() { (enter "$@"); }

# issue: makes an authority and certificates, as docs/deploy.md describes, in the folders where Secrets are mounted.
issue() {
	local pki=(pki issue --dir "$work/pki") program=$image$entry
	"$program" pki init --dir "$work/pki"
	"$program" "${pki[@]}" coordinator benchd --host benchd-coordinator --host 127.0.0.1 --out "$work/tls/coordinator"
	"$program" "${pki[@]}" agent benchd-agent-0 --host agent.benchd.internal --out "$work/tls/one"
	"$program" "${pki[@]}" operator test --out "$work/tls/operator"
	mkdir "$work/tls/agent"
	cp "$work/tls/one/ca.crt" "$work/tls/agent/"
	for kind in crt key; do cp "$work/tls/one/tls.$kind" "$work/tls/agent/benchd-agent-0.$kind"; done
	chown -R "0:${user#*:}" "$work/tls"
	chmod -R u=rX,g=rX,o= "$work/tls"
}

# answers PORT PATH: whether HTTP says 200. As a probe of Kubernetes it verifies nothing.
answers() {
	local line
	[[ -z ${TLS:-} ]] || { curl --silent --insecure --fail --max-time 5 --output /dev/null "https://127.0.0.1:$1$2"; return; }
	exec 3<>"/dev/tcp/127.0.0.1/$1" || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3
	read -r line <&3
	exec 3>&-
	[[ $line == *' 200 '* ]]
} 2>/dev/null

# listed: whether the coordinator lists an agent; port is then the free one that it took.
listed() { port=$(curl --silent --fail --noproxy "*" --max-time 5 http://127.0.0.1:7071/sd/agents | grep -oP '127\.0\.0\.1:\K[0-9]+'); }

# await SAYING COMMAND…: waits a minute for a command to succeed.
await() {
	local i saying=$1
	shift
	for ((i = 0; i < 300; i++)); do
		! "$@" || return 0
		sleep 0.2
	done
	fail "$saying"
}

[[ -z ${TLS:-} ]] || issue
contain coordinator
contain agent
! inside coordinator "$entry" coordinator --data /data >"$work/readonly.log" 2>&1 || fail "the root file system can be written to"
grep -q 'read-only file system' "$work/readonly.log" || fail "writing outside of the volumes does not fail by the root being read-only"

enter coordinator "$entry" "${coordinator[@]}" >"$work/coordinator.log" 2>&1 &
first=$!
await "the coordinator is not ready" answers 7071 /readyz
answers 7071 /healthz || fail "the coordinator has no /healthz"
enter agent "$entry" "$@" >"$work/agent.log" 2>&1 &
second=$!
port=7072
[[ " $* " != *:0\ * ]] || await "the coordinator lists no agent" listed
await "the agent is not ready" answers "$port" /readyz
answers "$port" /healthz || fail "the agent has no /healthz"
[[ -z ${TLS:-} ]] || ! answers 7071 /metrics || fail "a peer without a certificate reads metrics"
inside coordinator /usr/local/bin/benchctl agents || fail "benchctl agents fails"
inside coordinator /usr/local/bin/benchctl submit --db null --duration 1s --wait >"$work/result" 2>"$work/submit.log" || fail "a run fails"
tail -n 3 "$work/result"
for line in "Uid:	${user%:*}	${user%:*}	${user%:*}	${user%:*}" "CapEff:	0000000000000000" "NoNewPrivs:	1"; do
	grep -qxF "$line" "/proc/$first/status" || fail "the coordinator's process is not: $line"
done

kill -TERM "$second" "$first"
wait "$second" || fail "the agent ends with exit code $?"
wait "$first" || fail "the coordinator ends with exit code $?"
