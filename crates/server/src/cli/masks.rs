//! The masking flags of `classify` and `sanitize`.

use clap::Args;
use parlor_guard::sanitizer::{Sanitizer, SanitizerSettings};

/// The masking flags.
#[derive(Debug, Args)]
pub(super) struct MaskArguments {
    /// Keep names of agents and providers; keys and tokens stay masked.
    #[arg(long)]
    keep_names: bool,
    /// The agent's home directory, to be masked.
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
    /// The agent's working directory, to be cut off from paths.
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
}

impl MaskArguments {
    /// Compiles the rules, for an agent CLI behind a bridge or for a model.
    pub(super) fn sanitizer(&self, behind_bridge: bool) -> anyhow::Result<Sanitizer> {
        Ok(Sanitizer::new(&SanitizerSettings {
            mask_provider: !self.keep_names,
            behind_bridge: Some(behind_bridge),
            home: self.home.clone(),
            workspace: self.workspace.clone(),
            ..SanitizerSettings::default()
        })?)
    }
}
