//! What the demo model says about recipes, in English and in Portuguese.

use serde_json::{Value, json};

use super::language::Language;

fn pick(language: Language, english: String, portuguese: String) -> String {
    match language {
        Language::English => english,
        Language::Portuguese => portuguese,
    }
}

pub(super) fn recipes(language: Language, titles: &[&str]) -> String {
    let list: String = titles.iter().map(|title| format!("\n- {title}")).collect();
    match titles.len() {
        0 => pick(
            language,
            "You have no recipes yet. Say \"add a recipe\".".into(),
            "Você ainda não tem receitas. Diga \"adicione uma receita\".".into(),
        ),
        1 => pick(
            language,
            format!("You have one recipe:\n{list}"),
            format!("Você tem uma receita:\n{list}"),
        ),
        n => pick(
            language,
            format!("You have {n} recipes:\n{list}"),
            format!("Você tem {n} receitas:\n{list}"),
        ),
    }
}

pub(super) fn shown(language: Language, title: &str) -> String {
    pick(
        language,
        format!("Here is {title}, beside the chat. Ask me how long it takes."),
        format!("Aqui está a receita {title}, ao lado do chat. Pergunte quanto tempo leva."),
    )
}

pub(super) fn carried_out(language: Language, title: &str, was_refined: bool) -> String {
    let done = pick(
        language,
        format!("Done: I looked through your recipes and opened {title} beside the chat."),
        format!("Pronto: olhei as suas receitas e abri {title} ao lado do chat."),
    );
    let rest = pick(
        language,
        "What you added is beyond me: I am only a demo.".into(),
        "O que você acrescentou eu não sei fazer: sou só uma demonstração.".into(),
    );
    if was_refined { format!("{done} {rest}") } else { done }
}

pub(super) fn not_found(language: Language, titles: &[&str]) -> String {
    let titles = titles.join(", ");
    pick(
        language,
        format!("I found no such recipe. There are: {titles}."),
        format!("Não encontrei essa receita. Há: {titles}."),
    )
}

pub(super) fn which(language: Language) -> String {
    pick(
        language,
        "Which recipe do you mean? Say \"show me the tomato soup\" first.".into(),
        "De qual receita você fala? Diga primeiro \"mostre a sopa de tomate\".".into(),
    )
}

pub(super) fn times(language: Language, recipe: &Value) -> String {
    let minutes = |field: &str| recipe[field].as_f64().filter(|minutes| *minutes > 0.0);
    let title = recipe["title"].as_str().unwrap_or_default();
    match (minutes("prep_time_minutes"), minutes("cook_time_minutes")) {
        (Some(prep), Some(cook)) => {
            let all = prep + cook;
            pick(
                language,
                format!("{title} takes {all} minutes: {prep} to prepare and {cook} to cook."),
                format!("{title} leva {all} minutos: {prep} de preparo e {cook} de cozimento."),
            )
        }
        (Some(prep), None) => pick(
            language,
            format!("{title} takes {prep} minutes to prepare, and no cooking."),
            format!("{title} leva {prep} minutos de preparo e não vai ao fogo."),
        ),
        (None, Some(cook)) => pick(
            language,
            format!("{title} takes {cook} minutes to cook."),
            format!("{title} leva {cook} minutos de cozimento."),
        ),
        (None, None) => pick(
            language,
            format!("The recipe of {title} does not say how long it takes."),
            format!("A receita {title} não diz quanto tempo leva."),
        ),
    }
}

pub(super) fn created(language: Language, title: &str) -> String {
    pick(
        language,
        format!(
            "{title} is saved. I am only a demo, so its ingredients and steps are yours to write."
        ),
        format!(
            "A receita {title} foi salva. Sou só uma demonstração: os ingredientes e o modo de \
             preparo ficam por sua conta."
        ),
    )
}

pub(super) fn deleted(language: Language, title: &str) -> String {
    pick(language, format!("{title} is deleted."), format!("A receita {title} foi apagada."))
}

pub(super) fn kept(language: Language, title: &str) -> String {
    pick(
        language,
        format!("All right, {title} stays as it is."),
        format!("Certo, a receita {title} fica como está."),
    )
}

pub(super) fn renamed(language: Language, from: &str, to: &str) -> String {
    pick(
        language,
        format!("{from} is called {to} now."),
        format!("A receita {from} agora se chama {to}."),
    )
}

pub(super) fn new_name(language: Language, title: &str) -> String {
    pick(
        language,
        format!("What should {title} be called?"),
        format!("Qual deve ser o novo nome da receita {title}?"),
    )
}

pub(super) fn another_time(language: Language) -> String {
    pick(language, "Another time, then.".into(), "Fica para a próxima.".into())
}

pub(super) fn failed(language: Language, why: &str) -> String {
    // The one thing that goes wrong in everyday use is told in the person's language,
    // without the id that is meant for models.
    let taken = why.strip_prefix("There is already a recipe called \"");
    if let Some((title, _)) = taken.and_then(|rest| rest.split_once("\", with the id ")) {
        return pick(
            language,
            format!("There is already a recipe called {title}. Choose another name."),
            format!("Já existe uma receita chamada {title}. Escolha outro nome."),
        );
    }
    if why.contains("the conversation is in plan mode") {
        return pick(
            language,
            "We are only planning, so nothing is changed. Leave plan mode and ask me again.".into(),
            "Estamos só planejando, então nada muda. Saia do modo de plano e peça de novo.".into(),
        );
    }
    pick(
        language,
        format!("That did not work. The tool says: “{why}”"),
        format!("Não deu certo. A ferramenta diz: “{why}”"),
    )
}

pub(super) fn new_recipe(language: Language, title: &str, servings: u32) -> Value {
    let ingredient = pick(language, "your ingredients".into(), "os seus ingredientes".into());
    let step = pick(language, "Write down how it is made.".into(), "Escreva como se faz.".into());
    json!({"title": title, "servings": servings, "ingredients": [{"name": ingredient}],
        "steps": [{"instruction": step}]})
}

pub(super) fn wizard(language: Language) -> Value {
    let text = |english: &str, portuguese: &str| pick(language, english.into(), portuguese.into());
    let servings: Vec<Value> = ["2", "4", "6"].map(|n| json!({"label": n, "value": n})).into();
    json!({"type": "wizard", "question": text("A new recipe", "Uma nova receita"), "steps": [
        {"id": "title", "title": text("Name", "Nome"), "type": "input",
         "question": text("What is it called?", "Como ela se chama?")},
        {"id": "servings", "title": text("Servings", "Porções"), "type": "select",
         "question": text("For how many?", "Para quantas pessoas?"), "options": servings},
    ]})
}

pub(super) fn question(language: Language) -> String {
    let text = |english: &str, portuguese: &str| pick(language, english.into(), portuguese.into());
    json!({
        "question": text("What are you in the mood for?", "O que você está com vontade de comer?"),
        "options": [
            {"label": text("Something warm", "Algo quente"), "value": "Tomato Soup"},
            {"label": text("Something sweet", "Algo doce"), "value": "Chocolate Chip Cookies"},
            {"label": text("A feast", "Um banquete"), "value": "Feijoada"},
        ],
    })
    .to_string()
}

pub(super) fn plan(language: Language, refined: Option<&str>) -> String {
    let text = |english: &str, portuguese: &str| pick(language, english.into(), portuguese.into());
    let step = |number: u32, action: String, reason: String, tool: &str| json!({"step_number": number, "action": action, "reason": reason, "tools_needed": [tool]});
    let mut steps = vec![
        step(
            1,
            text("See which recipes there are", "Ver quais receitas há"),
            text("Dinner should come from your own collection", "O jantar sai da sua coleção"),
            "list_recipes",
        ),
        step(
            2,
            text("Open Feijoada for the main course", "Abrir a Feijoada como prato principal"),
            text("It feeds four and can be made ahead", "Serve quatro e pode ser feita antes"),
            "display_recipe",
        ),
    ];
    if let Some(words) = refined {
        let reason = text("You asked for it", "Você pediu");
        steps.push(step(3, words.to_owned(), reason, "display_recipe"));
    }
    json!({
        "goal": text("A dinner for four", "Um jantar para quatro"),
        "steps": steps,
        "estimated_time": text("about 3 hours", "cerca de 3 horas"),
        "risks": [text("Beans need to soak overnight", "O feijão fica de molho de um dia para o outro")],
    })
    .to_string()
}
