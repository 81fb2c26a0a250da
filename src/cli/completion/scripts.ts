/** Scripts that connect a shell's completion with `hearth complete`, which prints a candidate a line, with its description after a tab. */

export const shells = ["bash", "zsh", "fish"] as const;

export type CompletionShell = (typeof shells)[number];

/** The line that lets the shell complete names of files. */
export const filesLine = ":files";

export const scripts: Readonly<Record<CompletionShell, string>> = {
  bash: `# Completion of hearth for bash. In ~/.bashrc: source <(hearth completion bash)
_hearth() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == "${filesLine}" ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    COMPREPLY+=("$(printf %q "\${line%%$'\\t'*}")")
  done < <(hearth complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _hearth hearth
`,
  zsh: `#compdef hearth
# Completion of hearth for zsh. In ~/.zshrc, after compinit: source <(hearth completion zsh)
_hearth() {
  local line
  local -a candidates
  for line in "\${(@f)$(hearth complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == "${filesLine}" ]]; then
      _files
      return
    fi
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -t hearth hearth candidates
}
if [[ $funcstack[1] == _hearth ]]; then
  _hearth "$@"
else
  compdef _hearth hearth
fi
`,
  fish: `# Completion of hearth for fish: hearth completion fish > ~/.config/fish/completions/hearth.fish
function __hearth_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l candidates (hearth complete -- $words "$current" 2>/dev/null)
    if test "$candidates" = "${filesLine}"
        __fish_complete_path "$current"
    else if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    end
end
complete -c hearth -f -a '(__hearth_complete)'
`,
};
