import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { colorSchemes } from "../../app/color-scheme-switch.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { About } from "./about.tsx";
import { Endpoints } from "./endpoints.tsx";
import { Folders } from "./folders.tsx";
import { HubModels } from "./hub-models.tsx";
import classes from "./settings.module.css";
import { Signature } from "./signature.tsx";
import { StorageUse } from "./storage-use.tsx";

/** What a person may set, and what this Sightline is and holds. */
export function SettingsPage() {
  usePageTitle("Settings");
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className={classes.page}>
      <Section title="Appearance" text="Remembered in this browser.">
        <SegmentedControl
          aria-label="Colour scheme"
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
          data={colorSchemes.map(({ value, label }) => ({ value, label }))}
        />
      </Section>
      <Section title="Your name" text="Decisions on key-frames and changes of triples are signed with it.">
        <Signature />
      </Section>
      <Section
        title="Endpoints"
        text="OpenAI-compatible servers that see, reason or judge. Pictures and texts that you have described go there, and nowhere else."
      >
        <Endpoints />
      </Section>
      <Section
        title="Alerts"
        text="Rules that look at runs as they go on, and who is told of what they find."
      >
        <Link to="/alerts" className={classes.link}>
          Alerts, rules and receivers
        </Link>
      </Section>
      <Section
        title="Models from the hub"
        text="The browser that asks fetches them from there and runs them. What is asked stays on this machine."
      >
        <HubModels />
      </Section>
      <Section
        title="Server folders"
        text="Clips can be added from these folders, and from nowhere else on the server."
      >
        <Folders />
      </Section>
      <Section title="Storage" text="What the data folder takes on its disk.">
        <StorageUse />
      </Section>
      <Section title="About" text="Say these when something is wrong.">
        <About />
      </Section>
    </div>
  );
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <h2 className={classes.title}>{title}</h2>
        <p className={classes.text}>{text}</p>
      </div>
      <div>{children}</div>
    </section>
  );
}
