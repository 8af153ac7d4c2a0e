const USER = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/;
const HOST = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;
const IPV6 = /^(?=.*:)[0-9A-Fa-f:.]{2,45}$/;

/**
 * Reads an address as a person writes it: `host`, `user@host`, or an alias of the user's ssh config.
 *
 * @returns The address as ssh takes it, or a sentence why it is none. What passes holds no character that means
 *   anything to a shell, and does not begin with a dash.
 */
export function readAddress(
  text: string,
): { address: string; problem: null } | { address: null; problem: string } {
  const written = text.trim();
  const at = written.lastIndexOf("@");
  const user = at < 0 ? null : written.slice(0, at);
  const host = written.slice(at + 1);
  const no = (problem: string) => ({ address: null, problem });
  if (written === "")
    return no("Write the host's address: user@host, a host name, or an alias of your ssh config.");
  if (user !== null && !USER.test(user))
    return no("The user name may hold letters, digits, “.”, “_”, “+” and “-”, and can't begin with a dash.");
  if (!HOST.test(host) && !IPV6.test(host))
    return no(
      "The host may hold letters, digits, “.”, “_” and “-”, and can't begin with a dash. For anything else make an alias in your ssh config.",
    );
  return { address: written, problem: null };
}

/** Where runs lie on a host unless a person says otherwise. */
export const DEFAULT_ROOT = "~/.sightline/runs";

/** A sentence why a folder can't hold runs, or null. It is carried to the host as it stands. */
export function checkRoot(root: string): string | null {
  if (!(root.startsWith("/") || root.startsWith("~/")))
    return "The folder must be absolute, or begin with ~/ for the home folder there.";
  if (root.includes("\0") || /\p{Surrogate}/u.test(root))
    return "The folder's name holds a character that no path can hold.";
  if (root.length > 1000) return "The folder's name is too long: 1000 characters at most.";
  return null;
}
