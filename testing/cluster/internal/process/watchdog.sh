# Stops the process groups that it is told about, the newest first, and removes
# the directory $1, when its input ends without "release" before.
# No "--" before a negative number: dash takes it for the number.
trap '' INT TERM HUP QUIT
directory=$1
groups=
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
	kill -TERM "-$group" 2>/dev/null || continue
	tries=0
	while kill -0 "-$group" 2>/dev/null && [ "$tries" -lt 30 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -KILL "-$group" 2>/dev/null
done
if [ -n "$directory" ]; then
	rm -rf -- "$directory" || { sleep 1 && rm -rf -- "$directory"; }
fi
