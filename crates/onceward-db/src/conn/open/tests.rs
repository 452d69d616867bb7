use super::*;

#[test]
fn an_option_that_nobody_knows_or_that_cannot_be_is_refused_by_its_name() {
    let refused =
        |query: &str| format!("postgres://me@host/app?{query}").parse::<Target>().unwrap_err().to_string();
    assert!(refused("poool=9").contains("\"poool\""), "{}", refused("poool=9"));
    for pool in ["0", "3", "many"] {
        assert!(refused(&format!("pool={pool}")).contains("at least 4"));
    }
    assert!(refused("pooler=transaction&listen=nonsense").starts_with("listen "));
    for fine in
        ["pool=4", "sslmode=require&pool=9", "options[search_path]=x", "listen=postgres%3A%2F%2Fhost%2Fapp"]
    {
        format!("postgres://me@host/app?{fine}").parse::<Target>().unwrap();
    }
}

#[test]
fn an_application_has_the_name_that_it_gives_itself() {
    let name = |url: &str| match url.parse::<Target>().unwrap() {
        Target::Postgres { options, .. } => options.get_application_name().map(str::to_owned),
        Target::Sqlite { .. } => None,
    };
    assert_eq!(name("postgres://me@host/app?application_name=shop").as_deref(), Some("shop"));
    assert_eq!(name("postgres://me@host/app").as_deref(), Some("onceward"));
}
