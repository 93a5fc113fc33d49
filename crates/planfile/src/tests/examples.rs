//! x
use crate::load;
#[test]
fn probe() {
    let mut paths: Vec<_> = std::fs::read_dir("../../examples").unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for p in paths {
        if p.extension().unwrap() == "csv" {
            continue;
        }
        let l = load(&p);
        println!("== {}", p.display());
        for d in &l.diagnostics {
            println!("{}", crate::render(d, &l.source));
        }
        if let Some(p) = l.plan {
            println!("{}", serde_json::to_string(&p).unwrap());
        }
    }
    println!("{}", crate::reference());
    println!("{}", serde_json::to_string_pretty(&crate::schema()).unwrap().len());
}
