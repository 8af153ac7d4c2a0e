export { QuestionSetPage } from "./set-page.tsx";
export { QuestionsPage } from "./sets-page.tsx";
