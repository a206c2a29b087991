//! The tools with their descriptions, schemas and annotations. A host that trusts this
//! server runs tools that are annotated as not destructive without approval, so the
//! annotations must be true.

use rmcp::model::{JsonObject, MetaObject, ToolAnnotations};
use serde_json::{Value, json};

use super::{INTERNAL_META, PREVIEW_META, schemas};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    List,
    Get,
    Display,
    Create,
    Update,
    Delete,
    Preview,
}

/// What a call does to the recipes.
enum Effect {
    Reads,
    Adds,
    /// Changes what is there; the same call again has no further effect.
    Changes,
}

impl Tool {
    pub(super) const ALL: [Self; 7] = [
        Self::List,
        Self::Get,
        Self::Display,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::Preview,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::List => "list_recipes",
            Self::Get => "get_recipe",
            Self::Display => "display_recipe",
            Self::Create => "create_recipe",
            Self::Update => "update_recipe",
            Self::Delete => "delete_recipe",
            Self::Preview => "preview_recipe_change",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The tool as a client lists it.
    pub(super) fn definition(self) -> rmcp::model::Tool {
        let schema = object(self.schema());
        let tool = rmcp::model::Tool::new(self.name(), self.description(), schema)
            .with_title(self.title())
            .with_annotations(self.annotations());
        match self {
            Self::Update | Self::Delete => {
                tool.with_meta(meta(PREVIEW_META, json!(Self::Preview.name())))
            }
            Self::Preview => tool.with_meta(meta(INTERNAL_META, json!(true))),
            Self::List | Self::Get | Self::Display | Self::Create => tool,
        }
    }

    /// The JSON Schema of its arguments.
    pub(super) fn schema(self) -> Value {
        match self {
            Self::List => schemas::nothing(),
            Self::Get | Self::Display | Self::Delete => schemas::recipe_id_alone(),
            Self::Create => schemas::create(),
            Self::Update => schemas::update(),
            Self::Preview => {
                schemas::preview(&[Self::Create, Self::Update, Self::Delete].map(Self::name))
            }
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::List => "List recipes",
            Self::Get => "Read a recipe",
            Self::Display => "Show a recipe",
            Self::Create => "Create a recipe",
            Self::Update => "Change a recipe",
            Self::Delete => "Delete a recipe",
            Self::Preview => "Preview a change",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::List => {
                "Lists all recipes with their ids, titles, servings and times. Takes no arguments; \
                 use it to browse, and to find the id of a recipe that the person names."
            }
            Self::Get => {
                "Reads one recipe with all its ingredients and steps, for you. The person does not \
                 see it: to show it, use display_recipe."
            }
            Self::Display => {
                "Shows one recipe to the person, in the client's recipe panel beside the chat. Use \
                 it when they want to see, read or cook a recipe, and after creating one. Do not \
                 repeat the ingredients and steps in the chat."
            }
            Self::Create => {
                "Writes down a new recipe and gives it back with its id. Titles are unique, \
                 whatever their case. It does not show the recipe: call display_recipe with the \
                 new id for that."
            }
            Self::Update => {
                "Changes a recipe. Only the fields that are given change; a given list of \
                 ingredients or steps replaces the whole old list, and an empty description takes \
                 the old one away."
            }
            Self::Delete => "Deletes a recipe for good.",
            Self::Preview => {
                "For the host, not for models: what create_recipe, update_recipe or delete_recipe \
                 would do with these arguments, as the recipe before and after. Changes nothing."
            }
        }
    }

    /// Whether a call of it changes nothing.
    pub(super) fn only_reads(self) -> bool {
        matches!(self.effect(), Effect::Reads)
    }

    fn effect(self) -> Effect {
        match self {
            Self::List | Self::Get | Self::Display | Self::Preview => Effect::Reads,
            Self::Create => Effect::Adds,
            Self::Update | Self::Delete => Effect::Changes,
        }
    }

    fn annotations(self) -> ToolAnnotations {
        let (read_only, destructive, idempotent) = match self.effect() {
            Effect::Reads => (true, false, true),
            Effect::Adds => (false, false, false),
            Effect::Changes => (false, true, true),
        };
        ToolAnnotations::with_title(self.title())
            .read_only(read_only)
            .destructive(destructive)
            .idempotent(idempotent)
            .open_world(false)
    }
}

/// One entry of metadata.
pub(super) fn meta(key: &str, value: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([(key.to_owned(), value)]))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
