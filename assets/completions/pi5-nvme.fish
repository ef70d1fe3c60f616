# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pi5_nvme_global_optspecs
    string join \n root= json color= q/quiet v/verbose h/help V/version
end

function __fish_pi5_nvme_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pi5_nvme_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pi5_nvme_using_subcommand
    set -l cmd (__fish_pi5_nvme_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -s V -l version -d 'Print version'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "status" -d 'Show what is there and what stands out'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "setup" -d 'Set the PCIe generation and the boot order, after showing the exact change'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "verify" -d 'Say whether the link runs as asked (after the reboot)'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "bench" -d 'Measure the drive, and compare with an earlier measurement'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "undo" -d 'Put the files back byte for byte'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "demo" -d 'Play the whole journey on a simulated Raspberry Pi 5'
complete -c pi5-nvme -n "__fish_pi5_nvme_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand status" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand status" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand status" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand status" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand status" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l gen -d 'PCIe generation to ask for (Gen 3 is not certified by Raspberry Pi)' -r -f -a "1\t'2.5 GT/s'
2\t'5.0 GT/s'
3\t'8.0 GT/s'
keep\t'as it is'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l boot -d 'Try NVMe first at boot, or keep the boot order' -r -f -a "nvme\t'NVMe first, everything else after it'
keep\t'as it is'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l probe -d 'Let the bootloader look for a drive by itself; auto: when it is needed to boot from NVMe' -r -f -a "auto\t'when booting from NVMe needs it'
on\t'on'
keep\t'as it is'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l bench -d 'Measure before the change, to compare with later' -r -f -a "quick\t'about 20 seconds'
standard\t'about a minute'
off\t'no measurement'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l reboot -d 'What to do about the reboot' -r -f -a "ask\t'ask when all is done'
now\t'at once when all is done'
no\t'never; say how'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l dry-run -d 'Show the change and do nothing (needs no root)'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l yes -d 'Answer yes to the final question'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand setup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -l wait -d 'Look again for up to this many seconds until the answer is yes' -r
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l profile -d 'How long to measure (default: standard)' -r -f -a "quick\t'about 20 seconds'
standard\t'about a minute'
deep\t'some minutes, enough to fill a drive\'s cache'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l save -d 'Keep the result under this name too' -r
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l compare -d 'Compare now with the newest run at another link speed or under another name (or with run A), or run A with run B' -r
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l report -d 'Write a report too: .html (a page), .svg (the chart), .md (a text) or .json (the data)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l read-only -d 'Measure reads only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l identify -d 'Leave in the report what tells whose machine it is (drive\'s id, folders)'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l list -d 'List the kept runs'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand bench" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -l list -d 'List the transactions'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -l root -d 'Work on the recorded machine in this folder (also: PI5_NVME_ROOT)' -r -F
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -l color -d 'Colour the output (NO_COLOR is respected)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -l yes -d 'Ask nothing'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -l json -d 'Print exactly one JSON object'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -s q -l quiet -d 'Print the result line only'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -s v -l verbose -d 'Print details too'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "status" -d 'Show what is there and what stands out'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "setup" -d 'Set the PCIe generation and the boot order, after showing the exact change'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "verify" -d 'Say whether the link runs as asked (after the reboot)'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "bench" -d 'Measure the drive, and compare with an earlier measurement'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "undo" -d 'Put the files back byte for byte'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "demo" -d 'Play the whole journey on a simulated Raspberry Pi 5'
complete -c pi5-nvme -n "__fish_pi5_nvme_using_subcommand help; and not __fish_seen_subcommand_from status setup verify bench undo demo help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
