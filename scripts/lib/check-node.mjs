// Imported first, and alone: an older Node must be able to read this file to the end and say what is wrong.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `\nSightline needs Node 20.19 or newer; this is ${process.versions.node}.\nGet it from https://nodejs.org, or: nvm install 20\n`,
  );
  process.exit(1);
}
