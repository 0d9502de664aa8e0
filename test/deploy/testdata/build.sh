# build.sh WORK CONTEXT GOROOT GOCACHE GOMODCACHE: executes WORK/steps, the instructions of the Dockerfile's build stage, one by
# one, and copies /image of that stage to WORK/image. The base image's place takes the file system of this machine, which has Go
# too: a layer over it gets what the steps write.
set -euo pipefail
work=$1 context=$2 goroot=$3 gocache=$4 gomodcache=$5

mount --make-rprivate /
mkdir "$work/layer"
mount -t tmpfs none "$work/layer"
mkdir "$work/layer"/{upper,work,base}
base=$work/layer/base
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layer/upper,workdir=$work/layer/work" "$base"
for dir in /dev /proc /sys; do mount --rbind "$dir" "$base$dir"; done
# What has been compiled and fetched here need not be so again. Folders of other file systems are not below the layer.
for dir in "$goroot" "$gocache" "$gomodcache"; do
	mkdir -p "$base$dir"
	mount --bind "$dir" "$base$dir"
done

dir=/
variables=("PATH=$goroot/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root
	"GOCACHE=$gocache" "GOMODCACHE=$gomodcache" GOTOOLCHAIN=local GOFLAGS=)
for name in GOPROXY GONOSUMDB GOSUMDB HTTPS_PROXY HTTP_PROXY NO_PROXY SSL_CERT_FILE; do
	[[ -z ${!name:-} ]] || variables+=("$name=${!name}")
done
while IFS=$'\t' read -r instruction first second; do
	echo "$instruction $first${second:+ $second}"
	case $instruction in
	workdir)
		dir=$first
		mkdir -p "$base$dir"
		;;
	copy)
		read -ra sources <<<"$first"
		for source in "${sources[@]}"; do
			if [[ -d $context/$source ]]; then
				cp -a "$context/$source/." "$base$dir/$second"
			else
				cp -a "$context/$source" "$base$dir/$second"
			fi
		done
		;;
	arg)
		case $first in
		TARGETOS) variables+=(TARGETOS=linux) ;;
		TARGETARCH) variables+=("TARGETARCH=$("$goroot/bin/go" env GOARCH)") ;;
		*) variables+=("$first=${!first}") ;;
		esac
		;;
	run) chroot "$base" env -i "${variables[@]}" sh -c "cd '$dir' && $first" </dev/null ;;
	esac
done <"$work/steps"
cp -a "$base/image/." "$work/image/"
