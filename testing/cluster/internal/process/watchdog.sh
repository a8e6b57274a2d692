# Stops the process groups that it is told about, the newest first, and removes
# the directory $1, when its input ends without "release" before.
trap '' INT TERM HUP QUIT
directory=$1
groups=

# running tells whether a group is more than a zombie that nobody has waited
# for, as there are for seconds in containers.
running() {
	kill -0 "-$1" 2>/dev/null || return 1
	case $(cat "/proc/$1/stat" 2>/dev/null) in
	*") Z "*) return 1 ;;
	esac
}

while read -r verb group; do
	case $verb in
	watch) groups="$group $groups" ;;
	forget)
		rest=
		for known in $groups; do
			[ "$known" = "$group" ] || rest="$rest $known"
		done
		groups=$rest
		;;
	keep) directory= ;;
	release) exit 0 ;;
	esac
done
for group in $groups; do
	# No "--" before a negative number: dash takes it for the number.
	kill -TERM "-$group" 2>/dev/null || continue
	tries=0
	while running "$group" && [ "$tries" -lt 30 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -KILL "-$group" 2>/dev/null
done
if [ -n "$directory" ]; then
	rm -rf -- "$directory" || { sleep 1 && rm -rf -- "$directory"; }
fi
