"""SIGKILL at random moments."""

import random

from pi import CONFIG, Pi
from play import equal, expect, scenario

HAT = ("Raspberry Pi", "M.2 HAT+ M Key")
KILLS = 36

# For each delay (thousandths of the time that the command takes undisturbed): a
# setup or an undo that is killed; config.txt, which must be the old or the new
# one whole; then a second setup or an undo that must reach the goal or the start.
LOOP = """
boot=/boot/firmware/config.txt
setup="pi5-nvme setup --gen 3 --boot nvme --bench off --reboot no --yes --json"
cp $boot /tmp/old
now() { cut -d' ' -f1 /proc/uptime | tr -d .; }
begin=$(now)
$setup >/dev/null 2>&1 </dev/null; echo "first $?"
setup_takes=$(($(now) - begin))
cp $boot /tmp/new
begin=$(now)
pi5-nvme undo >/dev/null 2>&1; echo "back $?"
undo_takes=$(($(now) - begin))
echo "takes $setup_takes and $undo_takes hundredths of a second"
number=0
while read delay; do
    number=$((number + 1))
    command=$setup takes=$setup_takes
    if [ $((number % 3)) = 0 ]; then
        $setup >/dev/null 2>&1 </dev/null
        command="pi5-nvme undo" takes=$undo_takes
    fi
    $command >/dev/null 2>&1 </dev/null &
    usleep $((delay * takes * 10))
    kill -9 $! 2>/dev/null && killed=killed || killed=late
    wait $! 2>/dev/null
    state=torn
    cmp -s $boot /tmp/old && state=old
    cmp -s $boot /tmp/new && state=new
    second=-
    if [ $((number % 2)) = 0 ]; then
        $setup >/dev/null 2>&1 </dev/null
        second=$?
        cmp -s $boot /tmp/new || second=wrong
    fi
    pi5-nvme undo >/dev/null 2>&1
    undone=$?
    cmp -s $boot /tmp/old || undone=wrong
    ls /boot/firmware | grep -q -i -e pieeprom -e recovery -e p5n -e pi5nvme && undone=left
    echo "kill $killed $state $second $undone"
done < /mnt/host/delays
"""


@scenario("kills")
def kills():
    """Killed at random moments of setup and undo, which then reach start or goal."""
    pi = Pi("kills", hat=HAT).make()
    draw = random.Random(5)
    delays = [draw.randrange(1100) for _ in range(KILLS)]
    (pi.share / "delays").write_text("".join(f"{delay}\n" for delay in delays))
    said = pi.script(LOOP, limit=1500)
    rows = [line.split()[1:] for line in said.splitlines() if line.startswith("kill ")]
    expect("first 0" in said and "back 0" in said, f"the undisturbed run failed:\n{said}")
    equal(len(rows), KILLS, "kills")
    for number, (_, state, second, undone) in enumerate(rows, 1):
        good = state in ("old", "new") and second in ("-", "0") and undone == "0"
        when = f"kill {number}, at {delays[number - 1] / 10} % of the time"
        expect(good, f"{when}: config.txt {state}, setup {second}, undo {undone}")
    equal(pi.disks["sd"].get("config.txt"), CONFIG, "config.txt in the end")
    setups = [row[1] for number, row in enumerate(rows, 1) if number % 3 and row[0] == "killed"]
    old, new = setups.count("old"), setups.count("new")
    return f"setup killed {old} times before and {new} times after config.txt was changed"
