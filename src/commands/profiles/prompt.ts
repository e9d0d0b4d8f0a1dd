// Profile name for shell prompts. An untrusted project file may set the name, and every shell has
// its own special characters, so only plain ones are printed.
import { command } from '../../cli/command/command.ts';

export const prompt = command({
  summary: 'Print the current profile for a shell prompt',
  description:
    "Prints nothing without a profile, adds a question mark to the name of an unknown profile, and sends no request. For bash: PS1='$(svcctl profiles prompt)\\$ '",
  examples: ['svcctl profiles prompt'],
  obeys: ['profile'],
  async run({ out, resolved: { profileName }, profile }) {
    if (profileName !== undefined)
      await out.text([
        `(${plain(profileName)}${profile ? (profile.protected ? '!' : '') : '?'})\n`,
      ]);
  },
});

const plain = (name: string) => name.replace(/[^\p{L}\p{M}\p{N} _@+:,./=-]/gu, '?');
