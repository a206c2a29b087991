//! Budgets and prices in the configuration.

use super::{error, load};

/// Y-3: a budget that cannot be meant, or would never be used up, is refused with its place.
#[test]
fn budgets_are_checked() {
    const DEMO: &str = "[tenants.home.projects.recipes.agent]\nkind = \"demo\"\n";
    let place = "tenants.home.budgets";
    for (text, words) in [
        ("[tenants.home.budgets]\ntime_zone = \"Lisbon\"", ".time_zone: there is no time zone"),
        ("[tenants.home.budgets.person.day]\ntokens = 0", ".person.day.tokens: it must be a whole"),
        (
            "[tenants.home.budgets.person.day]\ntokens = 1.5",
            ".person.day.tokens: it must be a whole",
        ),
        ("[tenants.home.budgets.person.day]\nmessages = -1", ".person.day.messages: it must be"),
        ("[tenants.home.budgets.tenant.month]\ncost_usd = nan", ".tenant.month.cost_usd: it must"),
        ("[tenants.home.budgets.tenant.month]\ncost_usd = inf", ".tenant.month.cost_usd: it must"),
        ("[tenants.home.budgets.tenant.month]\ncost_usd = 1e-9", ".tenant.month.cost_usd: it must"),
        ("[tenants.home.budgets.tenant.month]\ntokens = \"many\"", "or \"unlimited\""),
        ("[tenants.home.budgets.tenant.week]", "unknown field `week`"),
        ("[tenants.home.budgets.roles.guest.day]", "unknown field `guest`"),
        ("[tenants.home.budgets.person.day]\ntoken = 5", "did you mean `tokens`?"),
        ("[tenants.home.budgets.people.\"\".day]", ".people.\"\": a name is 1 to 80"),
        (
            "[tenants.home.budgets.people.Ana.day]\n[tenants.home.budgets.people.ana.day]",
            "there is another budget for this name",
        ),
        (
            "[tenants.home.budgets.person]\nday.tokens = 11\nmonth.tokens = 10",
            ".person.day.tokens: it is more than that of the month",
        ),
    ] {
        let message = error(&format!("{DEMO}{text}"), &[]);
        assert!(message.contains(words), "{text}: {message}");
    }
    let of_project = "[tenants.home.projects.recipes.budget.day]\ncost_usd = 0";
    assert!(error(of_project, &[]).contains("tenants.home.projects.recipes.budget.day.cost_usd:"));
    let prices =
        |prices: &str| error(&format!("[tenants.home.projects.recipes.prices]\n{prices}"), &[]);
    assert!(prices("input = 1").contains("recipes.prices.output: it is missing"));
    assert!(prices("input = -1\noutput = 1").contains("recipes.prices.input: it must be dollars"));
    assert!(prices("input = 1\noutput = nan").contains("recipes.prices.output: it must be"));

    // Where nobody knows what an agent costs, dollars would never be used up.
    for (section, kind, is_right) in [
        ("person.day", "openai", false),
        ("tenant.month", "anthropic", false),
        ("people.ana.day", "acp", false),
        ("roles.user.day", "auto", false),
        ("tenant.day", "demo", true),
        ("tenant.day", "claude_code", true),
    ] {
        let text = format!(
            "[tenants.home.projects.recipes.agent]\nkind = \"{kind}\"\n[{place}.{section}]\ncost_usd = 1"
        );
        let loaded = load(&text, &[]).map_err(|error| error.to_string());
        match loaded {
            Ok(_) => assert!(is_right, "{text}"),
            Err(why) => {
                assert!(
                    !is_right && why.contains("tenants.home.projects.recipes.prices: it is"),
                    "{why}"
                );
            }
        }
        let priced =
            format!("{text}\n[tenants.home.projects.recipes.prices]\ninput = 0\noutput = 0");
        assert!(load(&priced, &[]).is_ok(), "a model of one's own may be free");
    }
    let config = load("[tenants.home.budgets.person.day]\ntokens = \"unlimited\"", &[]).unwrap();
    assert!(config.tenants.values().next().unwrap().budgets.people.anybody.is_unlimited());
}
